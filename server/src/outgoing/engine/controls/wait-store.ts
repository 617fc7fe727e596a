/** The table of waits. A wait delays outgoing transactions, and usually ends without an operator. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Wait } from '../plan-outcome.ts'

export interface ActiveWait extends Wait {
  readonly network: string
  readonly since: Date
}

export function readWaits(on: Queryable): Promise<readonly ActiveWait[]> {
  return on.query<ActiveWait>(
    sql`select network, cause, detail, since from outgoing_wait order by network, cause`,
  )
}

/** Returns the waits of a network that have lasted at least `forS` seconds. */
export function readLongWaits(on: Queryable, network: string, forS: number): Promise<readonly Wait[]> {
  return on.query<Wait>(sql`
    select cause, detail from outgoing_wait
    where network = ${network} and since <= coffer_now() - ${forS} * interval '1 second' order by cause`)
}

/** Replaces the waits of a network; a wait that continues keeps its start time. */
export async function replaceWaits(tx: Tx, network: string, waits: readonly Wait[]): Promise<void> {
  const causes = waits.map(({ cause }) => cause)
  const details = waits.map(({ detail }) => detail)
  await tx.query(
    sql`delete from outgoing_wait where network = ${network} and cause <> all(${causes}::text[])`,
  )
  await tx.query(sql`
    insert into outgoing_wait (network, cause, detail)
    select ${network}, cause, detail from unnest(${causes}::text[], ${details}::text[]) as row (cause, detail)
    on conflict (network, cause) do update set detail = excluded.detail`)
}
