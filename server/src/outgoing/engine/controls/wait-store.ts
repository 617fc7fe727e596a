/** Waits, which keep money from leaving and pass by themselves. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Wait } from '../placing.ts'

export interface StandingWait extends Wait {
  readonly network: string
  readonly since: Date
}

export function readWaits(on: Queryable): Promise<readonly StandingWait[]> {
  return on.query<StandingWait>(
    sql`select network, cause, detail, since from payout_wait order by network, cause`,
  )
}

/** The waits of a network that go on for so long already. */
export function readLongWaits(on: Queryable, network: string, forS: number): Promise<readonly Wait[]> {
  return on.query<Wait>(sql`
    select cause, detail from payout_wait
    where network = ${network} and since <= now() - ${forS} * interval '1 second' order by cause`)
}

/** Makes these the waits of a network; one that goes on keeps its time. */
export async function replaceWaits(tx: Tx, network: string, waits: readonly Wait[]): Promise<void> {
  const causes = waits.map(({ cause }) => cause)
  const details = waits.map(({ detail }) => detail)
  await tx.query(sql`delete from payout_wait where network = ${network} and cause <> all(${causes}::text[])`)
  await tx.query(sql`
    insert into payout_wait (network, cause, detail)
    select ${network}, cause, detail from unnest(${causes}::text[], ${details}::text[]) as row (cause, detail)
    on conflict (network, cause) do update set detail = excluded.detail`)
}
