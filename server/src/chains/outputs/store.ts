import sql from 'sql-template-tag'
import { named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Coin, SpentCoin } from './output.ts'

/** Writes coins of new blocks; one that is there already stays as it is. */
export async function insertCoins(tx: Tx, network: string, coins: readonly Coin[]): Promise<void> {
  if (coins.length === 0) return
  const rows = coins.map((coin) => ({ ...coin, amountMinor: `${coin.amountMinor}` }))
  await tx.query(
    named(
      'insert-coins',
      sql`
      insert into coin (network, outpoint, tx_hash, address, amount_minor, height, matures_after)
      select ${network}, outpoint, "txHash", address, "amountMinor", height, "maturesAfter"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        outpoint text, "txHash" text, address text, "amountMinor" numeric, height bigint, "maturesAfter" integer)
      on conflict (network, outpoint) do nothing`,
    ),
  )
}

/**
 * Marks those of the spent outpoints that are coins of ours.
 * @returns the transactions that spend any
 */
export async function spendCoins(
  tx: Tx,
  network: string,
  spent: readonly SpentCoin[],
): Promise<readonly string[]> {
  if (spent.length === 0) return []
  const rows = await tx.query<{ hash: string }>(
    named(
      'spend-coins',
      sql`
      update coin set spent_by = told.tx_hash, spent_height = told.height
      from unnest(
        ${spent.map(({ outpoint }) => outpoint)}::text[], ${spent.map(({ txHash }) => txHash)}::text[],
        ${spent.map(({ height }) => height)}::bigint[]
      ) as told (outpoint, tx_hash, height)
      where coin.network = ${network} and coin.outpoint = told.outpoint
      returning coin.spent_by as hash`,
    ),
  )
  return [...new Set(rows.map(({ hash }) => hash))]
}

/** Takes back what blocks above `height` made and spent. */
export async function dropCoinsAbove(tx: Tx, network: string, height: number): Promise<void> {
  await tx.query(sql`delete from coin where network = ${network} and height > ${height}`)
  await tx.query(sql`
    update coin set spent_by = null, spent_height = null, missed_at = null
    where network = ${network} and spent_height > ${height}`)
}
