/** Halts, which keep money from leaving until they are lifted. */
import sql, { type Sql } from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { liftLine, type SignedLift } from '../../../signing/statement.ts'

/**
 * tampering: the signer was asked for what was never approved. books: an invariant of the books is broken. log-unknown:
 * the chain or the signer knows of transactions that we do not. xpub-foreign: the signer's keys are not ours. cold-address: money
 * would be taken out to one of our own addresses. chain-ahead: nodes show transactions of ours that neither the database nor the
 * signer's log knows, as if both had gone back in time. signer-answer: the signer answered, or has in its log, what it was not
 * asked for, or its policy takes a token for another. history: the sealed history is not the one that the signer countersigned, or
 * the database went back in time, or may have.
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

/** A halt with the lifts that were stored for it, whoever wrote them. */
export interface LiftedHalt extends Halt {
  /** As `liftLine` writes them. */
  readonly lines: readonly string[]
}

/** Those that stand, as far as rows tell: for people. Payouts look at the signatures of lifts (`readStanding`). */
export function readHalts(on: Queryable): Promise<readonly Halt[]> {
  return on.query<Halt>(sql`
    select id, cause, detail, since from payout_halt halt
    where not exists (select from payout_halt_lift lift where lift.halt_id = halt.id)
    order by cause, since`)
}

/** All halts but those that are known to be lifted, with their lifts. */
export async function readHaltsBut(on: Queryable, lifted: readonly string[]): Promise<readonly LiftedHalt[]> {
  const rows = await on.query<Halt & { statements: readonly string[]; signatures: readonly string[] }>(sql`
    select id, cause, detail, since,
      coalesce(array_agg(statement) filter (where statement is not null), '{}') as statements,
      coalesce(array_agg(signature) filter (where signature is not null), '{}') as signatures
    from payout_halt halt left join payout_halt_lift lift on lift.halt_id = halt.id
    where id <> all (${lifted}::uuid[])
    group by id order by cause, since`)
  return rows.map(({ statements, signatures, ...halt }) => ({
    ...halt,
    lines: statements.map((statement, place) => liftLine({ statement, signature: signatures[place] ?? '' })),
  }))
}

/**
 * The least number that no halt of a cause has. Two processes that halt at once take the same, so that one of them waits for
 * the other and finds its halt there. It does not follow the highest: a number that somebody made up leads nowhere.
 */
function freeOrdinal(cause: string): Sql {
  return sql`(
    select min(free) from (
      select 1::bigint as free union all select ordinal::bigint + 1 from payout_halt where cause = ${cause}
    ) candidate
    where free > 0 and not exists (select from payout_halt where cause = ${cause} and ordinal = free)
  )`
}

/** @returns whether it is new */
export async function insertHalt(on: Queryable, cause: HaltCause, detail: string): Promise<boolean> {
  const row = await one(
    on,
    sql`insert into payout_halt (cause, detail, ordinal)
        select ${cause}, ${detail}, ${freeOrdinal(cause)}
        where not exists (
          select from payout_halt halt where cause = ${cause}
            and not exists (select from payout_halt_lift lift where lift.halt_id = halt.id)
        )
        on conflict (cause, ordinal) do nothing returning id`,
  )
  return row !== undefined
}

/**
 * A halt of its own beside those that stand: lifting one of these does not lift it. Where another process takes the same number at the
 * same moment, the next one is taken.
 */
export async function insertOwnHalt(tx: Tx, cause: HaltCause, detail: string): Promise<void> {
  const insert = () =>
    one(
      tx,
      sql`insert into payout_halt (cause, detail, ordinal) select ${cause}, ${detail}, ${freeOrdinal(cause)}
          on conflict (cause, ordinal) do nothing returning id`,
    )
  for (let tries = 0; tries < ordinalTries; tries += 1) if ((await insert()) !== undefined) return
  throw new Error(`no halt "${cause}" could be recorded beside ${ordinalTries} others at the same moment`)
}

const ordinalTries = 100

/** Puts back a halt that the signer knows and the database has lost. */
export async function insertLostHalt(on: Queryable, id: string, cause: string): Promise<void> {
  const detail = 'the signer holds this halt, which the database had lost: who could delete it?'
  await on.query(sql`
    insert into payout_halt (id, cause, detail, ordinal)
    select ${id}, ${cause}, ${detail}, ${freeOrdinal(cause)}
    on conflict do nothing`)
}

/** @returns the cause of the halt; undefined where there is none of that id, or this lift is stored already */
export async function insertLift(
  tx: Tx,
  { lift, statement, signature }: SignedLift,
): Promise<string | undefined> {
  const row = await one<{ cause: string }>(
    tx,
    sql`with added as (
          insert into payout_halt_lift (halt_id, statement, signature)
          select id, ${statement}, ${signature} from payout_halt where id = ${lift.haltId}
          on conflict do nothing returning halt_id
        )
        select cause from added join payout_halt on id = halt_id`,
  )
  return row?.cause
}
