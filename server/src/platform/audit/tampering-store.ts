/** Records rows of the database that no process of ours can have written. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'

export interface Tampering {
  /** Identifies what was tampered with. Each subject is recorded and reported only once. */
  readonly subject: string
  /** A description for the operator. */
  readonly detail: string
}

/**
 * Records tampered rows. Call it in the transaction that skips these rows. The role `payouts` halts when it
 * finds such a record.
 */
export async function noteTamperings(on: Queryable, found: readonly Tampering[]): Promise<void> {
  if (found.length === 0) return
  await on.query(sql`
    insert into tampering (subject, detail)
    select * from unnest(
      ${found.map(({ subject }) => subject)}::text[], ${found.map(({ detail }) => detail)}::text[]
    )
    on conflict do nothing`)
}

export interface NotedTampering extends Tampering {
  readonly id: number
}

/** Returns up to 100 records of tampering for which payouts were not halted yet, the oldest first. */
export function readNewTamperings(on: Queryable): Promise<readonly NotedTampering[]> {
  return on.query<NotedTampering>(
    named(
      'read-new-tamperings',
      sql`
      select id, subject, detail from tampering
      where not exists (select from tampering_halt where tampering_id = tampering.id)
      order by id limit 100`,
    ),
  )
}

export async function noteHalted(on: Queryable, ids: readonly number[]): Promise<void> {
  await on.query(sql`
    insert into tampering_halt (tampering_id) select * from unnest(${[...ids]}::bigint[])
    on conflict do nothing`)
}
