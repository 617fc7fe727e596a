import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'

/** Payouts with change that nodes were given so many blocks ago and that are in no block, and nothing lifts; not while a lift rests that was refused. */
export async function findStuck(
  on: Queryable,
  network: string,
  blocks: number,
  max: number,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select payout.id from payout join chain_cursor cursor using (network)
    where network = ${network} and state in ('broadcast', 'in_doubt') and offered_height <= cursor.height - ${blocks}
      and wallet_place ->> 'type' = 'hot' and wallet_place ->> 'branch' = '1'
      and not exists (
        select from payout lift where lift.network = payout.network and lift.kind = 'lift'
          and lift.state <> 'displaced' and lift.intent::jsonb ->> 'payoutId' = payout.id::text)
      and not exists (
        select from payout_refusal refusal where refusal.kind = 'lift'
          and refusal.intent::jsonb ->> 'payoutId' = payout.id::text
          and (refusal.retry_at is null or refusal.retry_at > now()))
    order by planned_at, payout.id limit ${max}`)
  return rows.map(({ id }) => id)
}

/** Whether one is not mined yet, or rests since it was refused. */
export async function hasOpenConsolidation(on: Queryable, network: string): Promise<boolean> {
  const row = await one(
    on,
    sql`
    select 1 as found from payout
    where network = ${network} and kind = 'consolidate' and state not in ('final', 'displaced')
    union all
    select 1 from payout_refusal
    where network = ${network} and kind = 'consolidate' and (retry_at is null or retry_at > now()) limit 1`,
  )
  return row !== undefined
}
