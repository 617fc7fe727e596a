/** What blocks say became of coins that payouts spend, or that nobody of us spent. */
import sql from 'sql-template-tag'
import type { TakenPlace, TransactionReceipt } from '../../chains/port.ts'
import { named, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Receipts of transactions of ours in our blocks: a transaction is in the block that spends its coins. */
export async function readOwnReceipts(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlyMap<string, TransactionReceipt>> {
  const rows = await on.query<{ hash: string; height: number; block_hash: string; fee: string }>(
    named(
      'read-coin-receipts',
      sql`
      select distinct on (attempt.tx_hash) attempt.tx_hash as hash, block.height, block.hash as block_hash,
        attempt.tip_minor as fee
      from payout_attempt attempt
      join coin on coin.network = attempt.network and coin.spent_by = attempt.tx_hash
      join block on block.network = coin.network and block.height = coin.spent_height
      where attempt.network = ${network} and attempt.tx_hash = any(${[...txHashes]}::text[])`,
    ),
  )
  return new Map(
    rows.map(({ hash, height, block_hash: blockHash, fee }) => [
      hash,
      { txHash: hash, height, blockHash, isSuccess: true, feeMinor: BigInt(fee) },
    ]),
  )
}

export interface TakenCoin extends TakenPlace {
  readonly payoutId: string
  readonly outpoint: string
  readonly txHash: string
  /** The deposit that made it was replaced: it never came to be. */
  readonly isUnmade: boolean
}

/**
 * Of payouts, a coin that another transaction spends in blocks up to `height`, or that was never made there as the deposit
 * failed that would have made it. What spends the change of another payout of ours loses its place with that one.
 */
export async function readTakenCoins(
  on: Queryable,
  network: string,
  payoutIds: readonly string[],
  height: number,
): Promise<readonly TakenCoin[]> {
  return on.query<TakenCoin>(sql`
    with recursive line as (
      select id as payout_id, id as of_id from payout where id = any(${[...payoutIds]}::uuid[])
      union
      select line.payout_id, maker.id
      from line
      join payout_input input on input.payout_id = line.of_id
      join payout_attempt attempt
        on attempt.network = ${network} and attempt.tx_hash = split_part(input.outpoint, ':', 1)
      join payout maker on maker.id = attempt.payout_id and maker.state <> 'final'
    )
    select distinct on (line.payout_id) line.payout_id as "payoutId", input.outpoint, taken.tx_hash as "txHash",
      taken.height, block.hash as "blockHash", taken.is_unmade as "isUnmade"
    from line
    join payout_input input on input.payout_id = line.of_id
    cross join lateral (
      select spent_by as tx_hash, spent_height as height, false as is_unmade from coin
      where coin.network = ${network} and coin.outpoint = input.outpoint and spent_height <= ${height}
      union all
      select replaced_by, replaced_height, true from transaction
      where transaction.network = ${network} and transfer_key = input.outpoint and state = 'failed'
        and replaced_height <= ${height}
    ) taken
    join block on block.network = ${network} and block.height = taken.height
    where not exists (
      select from payout_attempt attempt
      where attempt.network = ${network} and attempt.tx_hash = taken.tx_hash and attempt.payout_id = line.of_id)
    order by line.payout_id, taken.height, input.place`)
}

export interface MissedCoin {
  readonly outpoint: string
  readonly spentBy: string
}

/** Coins that none of our transactions spent, in blocks from `fromHeight` on, and of which operators do not know yet. */
export function readMissed(
  on: Queryable,
  network: string,
  fromHeight: number,
): Promise<readonly MissedCoin[]> {
  return on.query<MissedCoin>(
    named(
      'read-missed-coins',
      sql`
      select outpoint, spent_by as "spentBy" from coin
      where network = ${network} and spent_height >= ${fromHeight} and missed_at is null and not exists (
        select from payout_attempt attempt
        where attempt.network = coin.network and attempt.tx_hash = coin.spent_by)
      order by spent_height, outpoint limit 100`,
    ),
  )
}

export async function markMissed(tx: Tx, network: string, outpoints: readonly string[]): Promise<void> {
  await tx.query(sql`
    update coin set missed_at = now()
    where network = ${network} and outpoint = any(${[...outpoints]}::text[]) and missed_at is null`)
}
