/** Coins of payouts that were displaced: the signer gives them to no other payout than one that takes them back. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CoinPlace } from '../../signing/intent.ts'
import { makerOf, mayBeSpent, type SpendableCoin, type TrustedHeights } from './coin-store.ts'

/** What the last of the payouts that spent a coin is, where that was displaced and nothing speaks for the coin now. */
const lastOwner = (network: string) => sql`
  select distinct on (input.outpoint) input.outpoint, input.amount_minor, input.coin_place, input.payout_id, payout.state
  from payout_input input join payout on payout.id = input.payout_id
  where input.network = ${network} and input.outpoint in (
    select released.outpoint from payout_input released
    join coin on coin.network = released.network and coin.outpoint = released.outpoint and coin.spent_by is null
    where released.network = ${network} and released.is_released)
  order by input.outpoint, payout.planned_at desc, payout.id desc`

/** Payouts of which a coin of `leastMinor` or more can be taken back, and of which nothing rests that was refused. */
export async function findReclaimable(
  on: Queryable,
  network: string,
  leastMinor: bigint,
  max: number,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    with owned as (${lastOwner(network)})
    select distinct payout_id as id from owned
    where state = 'displaced' and amount_minor >= ${`${leastMinor}`}::numeric and not exists (
      select from payout_refusal refusal where refusal.network = ${network} and refusal.kind = 'reclaim'
        and refusal.intent::jsonb ->> 'payoutId' = owned.payout_id::text
        and (refusal.retry_at is null or refusal.retry_at > now()))
    order by payout_id limit ${max}`)
  return rows.map(({ id }) => id)
}

/** The coins that can be taken back of a payout, the most valuable first. */
export async function readReclaimable(
  on: Queryable,
  network: string,
  payoutId: string,
  { at, needsMakers }: { readonly at: TrustedHeights; readonly needsMakers: boolean },
): Promise<readonly SpendableCoin[]> {
  const rows = await on.query<{
    outpoint: string
    minor: string
    place: CoinPlace
    bytes: number | null
  }>(sql`
    with owned as (${lastOwner(network)})
    select owned.outpoint, owned.amount_minor as minor, owned.coin_place as place, maker.bytes
    from owned
    join coin on coin.network = ${network} and coin.outpoint = owned.outpoint
    left join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
    left join lateral (${makerOf(needsMakers)}) maker on true
    where owned.payout_id = ${payoutId} and owned.state = 'displaced' and ${mayBeSpent(at)}
      and (maker.bytes is not null or not ${needsMakers}::boolean)
    order by owned.amount_minor desc, owned.outpoint`)
  return rows.map(({ outpoint, minor, place, bytes }) => ({
    outpoint,
    amountMinor: BigInt(minor),
    place,
    makerBytes: bytes ?? 0,
  }))
}

/** Gives coins of a payout away that another takes back, as the signer's log says: the database may know it as open still. */
export async function releaseCoins(
  tx: Tx,
  network: string,
  payoutId: string,
  outpoints: readonly string[],
): Promise<void> {
  await tx.query(sql`
    update payout_input set is_released = true
    where network = ${network} and payout_id = ${payoutId} and outpoint = any(${[...outpoints]}::text[])`)
}
