/** Halts, which keep money from leaving until they are lifted. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'

/**
 * tampering: the signer was asked for what was never approved. books: an invariant of the books is broken. log-unknown:
 * the chain or the signer knows of transactions that we do not. xpub-foreign: the signer's keys are not ours. cold-address: money
 * would be taken out to one of our own addresses. chain-ahead: nodes show transactions of ours that neither the database nor the
 * signer's log knows, as if both had gone back in time. signer-answer: the signer answered, or has in its log, what it was not
 * asked for, or its policy takes a token for another.
 */
export const haltCauses = [
  'tampering',
  'books',
  'log-unknown',
  'xpub-foreign',
  'cold-address',
  'chain-ahead',
  'signer-answer',
] as const
export type HaltCause = (typeof haltCauses)[number]

export interface Halt {
  readonly cause: HaltCause
  readonly detail: string
  readonly since: Date
}

export function readHalts(on: Queryable): Promise<readonly Halt[]> {
  return on.query<Halt>(sql`select cause, detail, since from payout_halt order by cause`)
}

/** @returns whether it is new */
export async function insertHalt(on: Queryable, cause: HaltCause, detail: string): Promise<boolean> {
  const row = await one(
    on,
    sql`insert into payout_halt (cause, detail) values (${cause}, ${detail})
        on conflict (cause) do nothing returning cause`,
  )
  return row !== undefined
}

/** @returns whether it was there */
export async function deleteHalt(on: Queryable, cause: string): Promise<boolean> {
  return (await one(on, sql`delete from payout_halt where cause = ${cause} returning cause`)) !== undefined
}
