/** What was found in the database that no process of ours can have written. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'

export interface Tampering {
  /** What it was found in; told of once. */
  readonly subject: string
  /** For the operator. */
  readonly detail: string
}

/** Notes findings in the transaction that passes over them. The role payouts halts by what is noted here. */
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

/** The findings by which payouts were not halted so far, the oldest first. */
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
