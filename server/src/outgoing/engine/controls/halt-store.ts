/** The tables of halts. A halt stops all outgoing transactions until it is lifted. */
import sql, { type Sql } from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { liftLine, type SignedLift } from '../../../signing/statement.ts'

/**
 * The cause of a halt:
 * - `tampering`: the signer was asked to sign something that was never approved, or a row does not match its
 *   MAC or signature.
 * - `books`: an invariant of the books is violated.
 * - `log-unknown`: the chain or the signer knows of transactions that the database does not know.
 * - `xpub-foreign`: the signer's keys are not ours.
 * - `cold-address`: the cold address for treasury withdrawals is one of our own addresses.
 * - `chain-ahead`: nodes show transactions of ours that neither the database nor the signer's log knows. The
 *   database and the log may both have been set back to an earlier state.
 * - `signer-answer`: the signer's answer or log contains something that was not requested, or the signer's
 *   policy has a wrong name or wrong decimals for an asset.
 * - `history`: the sealed history is not the one that the signer countersigned, or the database was set back
 *   to an earlier state, or may have been.
 */
export const haltCauses = [
  'tampering',
  'books',
  'log-unknown',
  'xpub-foreign',
  'cold-address',
  'chain-ahead',
  'signer-answer',
  'history',
] as const
export type HaltCause = (typeof haltCauses)[number]

export interface Halt {
  readonly id: string
  readonly cause: HaltCause
  readonly detail: string
  readonly since: Date
}

/** A halt with the stored statements that are meant to lift it. Their signatures are not verified yet. */
export interface LiftedHalt extends Halt {
  /** Each statement with its signature, as text from `liftLine`. */
  readonly lines: readonly string[]
}

/**
 * Returns, for display, the halts without a stored statement that lifts them. Signatures are not verified
 * here; the engine verifies them (`readActiveHalts`).
 */
export function readHalts(on: Queryable): Promise<readonly Halt[]> {
  return on.query<Halt>(sql`
    select id, cause, detail, since from outgoing_halt halt
    where not exists (select from outgoing_halt_lift lift where lift.halt_id = halt.id)
    order by cause, since, id`)
}

/** Returns all halts except those with the given ids, each with the stored statements that lift it. */
export async function readHaltsBut(on: Queryable, lifted: readonly string[]): Promise<readonly LiftedHalt[]> {
  const rows = await on.query<Halt & { statements: readonly string[]; signatures: readonly string[] }>(sql`
    select id, cause, detail, since,
      coalesce(array_agg(statement order by signature) filter (where statement is not null), '{}') as statements,
      coalesce(array_agg(signature order by signature) filter (where signature is not null), '{}') as signatures
    from outgoing_halt halt left join outgoing_halt_lift lift on lift.halt_id = halt.id
    where id <> all (${lifted}::uuid[])
    group by id order by cause, since, id`)
  return rows.map(({ statements, signatures, ...halt }) => ({
    ...halt,
    lines: statements.map((statement, index) => liftLine({ statement, signature: signatures[index] ?? '' })),
  }))
}

/**
 * Returns SQL for the lowest number (`ordinal`) that no halt of this cause has. Two processes that halt at
 * the same time choose the same number. The second insert then waits for the first, and finds the halt that
 * the first has stored. The lowest free number is used because a forged halt may have the highest possible
 * number; no number would then be left above it.
 */
function freeOrdinal(cause: string): Sql {
  return sql`(
    select min(free) from (
      select 1::bigint as free union all select ordinal::bigint + 1 from outgoing_halt where cause = ${cause}
    ) candidate
    where free > 0 and not exists (select from outgoing_halt where cause = ${cause} and ordinal = free)
  )`
}

/**
 * Stores a halt. Does nothing if a halt of the same cause is already active.
 * @returns whether the halt is new
 */
export async function insertHalt(on: Queryable, cause: HaltCause, detail: string): Promise<boolean> {
  const row = await one(
    on,
    sql`insert into outgoing_halt (id, cause, detail, ordinal)
        select ${newId()}, ${cause}, ${detail}, ${freeOrdinal(cause)}
        where not exists (
          select from outgoing_halt halt where cause = ${cause}
            and not exists (select from outgoing_halt_lift lift where lift.halt_id = halt.id)
        )
        on conflict (cause, ordinal) do nothing returning id`,
  )
  return row !== undefined
}

/**
 * Stores a halt even if halts of the same cause are active; each of them must be lifted separately. If
 * another process uses the same ordinal at the same moment, the next free ordinal is tried.
 * @throws Error after 100 tries
 */
export async function insertOwnHalt(tx: Tx, cause: HaltCause, detail: string): Promise<void> {
  const insert = () =>
    one(
      tx,
      sql`insert into outgoing_halt (id, cause, detail, ordinal)
          select ${newId()}, ${cause}, ${detail}, ${freeOrdinal(cause)}
          on conflict (cause, ordinal) do nothing returning id`,
    )
  for (let tries = 0; tries < ordinalTries; tries += 1) if ((await insert()) !== undefined) return
  throw new Error(
    `no halt "${cause}" could be recorded: ${ordinalTries} others were recorded at the same time`,
  )
}

const ordinalTries = 100

/** Stores a halt again that the signer knows and the database lost. */
export async function insertLostHalt(on: Queryable, id: string, cause: string): Promise<void> {
  const detail = 'the signer has this halt, but the database had lost it: check who could delete it'
  await on.query(sql`
    insert into outgoing_halt (id, cause, detail, ordinal)
    select ${id}, ${cause}, ${detail}, ${freeOrdinal(cause)}
    on conflict do nothing`)
}

/**
 * Stores a signed statement that lifts a halt.
 * @returns the cause of the halt; undefined if no halt has that id or the statement is stored already
 */
export async function insertLift(
  tx: Tx,
  { lift, statement, signature }: SignedLift,
): Promise<string | undefined> {
  const row = await one<{ cause: string }>(
    tx,
    sql`with added as (
          insert into outgoing_halt_lift (halt_id, statement, signature)
          select id, ${statement}, ${signature} from outgoing_halt where id = ${lift.haltId}
          on conflict do nothing returning halt_id
        )
        select cause from added join outgoing_halt on id = halt_id`,
  )
  return row?.cause
}
