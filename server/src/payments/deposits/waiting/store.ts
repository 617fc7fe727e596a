/** Payments in no block: those that wait for one, and those in whose place another transaction was mined. */
import sql from 'sql-template-tag'
import type { SpentOutpoint } from '../../../chains/port.ts'
import { macsOf, named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Transaction } from '../deposit.ts'
import {
  type DepositRow,
  insertDeposits,
  type TransactionRow,
  toTransaction,
  transactionColumns,
} from '../store.ts'

/**
 * Writes what mempools hold. One that is known and in no block is seen again: whatever was to replace it has not, as long
 * as no block holds that. Those in blocks are not touched.
 * @returns the new ones
 */
export async function sightDeposits(
  tx: Tx,
  deposits: readonly DepositRow[],
): Promise<readonly Transaction[]> {
  if (deposits.length === 0) return []
  // Only a row that was not there before has no xmax.
  const rows = await tx.query<TransactionRow & { is_new: boolean }>(
    named(
      'sight-deposits',
      sql`
      ${insertDeposits(macsOf(tx), deposits, 0)} do update
      set unseen_since = null, first_seen_at = coalesce(transaction.first_seen_at, excluded.first_seen_at),
          in_time_at = least(transaction.in_time_at, excluded.in_time_at),
          replaced_by = case when transaction.replaced_height is not null then transaction.replaced_by end
      where transaction.block_height is null
      returning ${transactionColumns}, xmax = 0 as is_new`,
    ),
  )
  return rows.filter((row) => row.is_new).map(toTransaction)
}

/** What a payment lives by. */
export interface SpendRow extends SpentOutpoint {
  /** Hash of the payment; that of the spender is `txHash`. */
  readonly paymentHash: string
}

export async function saveSpends(tx: Tx, network: string, spends: readonly SpendRow[]): Promise<void> {
  if (spends.length === 0) return
  await tx.query(
    named(
      'save-spends',
      sql`
      insert into transaction_spend (network, outpoint, spender_hash, tx_hash)
      select ${network}, outpoint, "txHash", "paymentHash"
      from jsonb_to_recordset(${JSON.stringify(spends)}::jsonb)
        as spend (outpoint text, "txHash" text, "paymentHash" text)
      on conflict do nothing`,
    ),
  )
}

/** Something that was spent, by a transaction in the block of `height`, or one that waits where that is undefined. */
export interface SpentAt extends SpentOutpoint {
  readonly height: number | undefined
}

/**
 * Marks the payments in no block of which another transaction spends what they live by. Where a block holds that one, no
 * mempool holds the payment.
 */
export async function markReplaced(tx: Tx, network: string, spent: readonly SpentAt[]): Promise<void> {
  if (spent.length === 0) return
  await tx.query(
    named(
      'mark-replaced',
      sql`
      update transaction
      set replaced_by = rival.tx_hash, replaced_height = rival.height,
          unseen_since = case when rival.height is null then unseen_since else coalesce(unseen_since, now()) end
      from (
        select distinct on (spend.tx_hash) spend.tx_hash as payment_hash, told.tx_hash, told.height
        from unnest(
          ${spent.map(({ outpoint }) => outpoint)}::text[], ${spent.map(({ txHash }) => txHash)}::text[],
          ${spent.map(({ height }) => height ?? null)}::bigint[]
        ) as told (outpoint, tx_hash, height)
        join transaction_spend spend on spend.network = ${network} and spend.outpoint = told.outpoint
          and spend.spender_hash <> told.tx_hash
        order by spend.tx_hash, told.height
      ) rival
      where transaction.network = ${network} and transaction.tx_hash = rival.payment_hash
        and block_height is null and state = 'pending' and replaced_height is null`,
    ),
  )
}

/** Takes as failed what a block up to `finalHeight` has replaced; returns it with the database's time. */
export async function failReplaced(
  tx: Tx,
  network: string,
  finalHeight: number,
): Promise<{ readonly failed: readonly Transaction[]; readonly at: Date }> {
  const rows = await tx.query<TransactionRow & { now: Date }>(
    named(
      'fail-replaced',
      sql`
      update transaction set state = 'failed', failures = failures + 1
      where network = ${network} and state = 'pending' and replaced_height <= ${finalHeight}
      returning ${transactionColumns}, now()::timestamptz(3) as now`,
    ),
  )
  return { failed: rows.map(toTransaction), at: rows[0]?.now ?? new Date(0) }
}

/** Lets those wait again whose replacement was above `height`; returns the ones that had failed, with database time. */
export async function restoreReplaced(
  tx: Tx,
  network: string,
  height: number,
): Promise<{ readonly restored: readonly Transaction[]; readonly at: Date }> {
  const rows = await tx.query<TransactionRow & { was: string; now: Date }>(sql`
    with dropped as (
      select id as dropped_id, state as was from transaction
      where network = ${network} and replaced_height > ${height} for no key update
    )
    update transaction set replaced_by = null, replaced_height = null, state = 'pending'
    from dropped where id = dropped_id
    returning ${transactionColumns}, was, now()::timestamptz(3) as now`)
  const failed = rows.filter(({ was }) => was === 'failed')
  return { restored: failed.map(toTransaction), at: rows[0]?.now ?? new Date(0) }
}

/** The hashes of payments in no block. */
export interface BlocklessPayments {
  /** That a mempool was last seen to hold. */
  readonly seen: readonly string[]
  /** That no mempool was seen to hold since they last left a block, a mempool, or the place that another took. */
  readonly unseen: readonly string[]
}

export async function readBlockless(on: Queryable, network: string): Promise<BlocklessPayments> {
  const rows = await on.query<{ tx_hash: string; is_seen: boolean }>(
    named(
      'read-blockless',
      sql`select distinct tx_hash, unseen_since is null as is_seen from transaction
          where network = ${network} and block_height is null and state = 'pending'`,
    ),
  )
  const hashesOf = (isSeen: boolean) => rows.filter((row) => row.is_seen === isSeen).map((row) => row.tx_hash)
  return { seen: hashesOf(true), unseen: hashesOf(false) }
}

export async function markUnseen(tx: Tx, network: string, txHashes: readonly string[]): Promise<void> {
  if (txHashes.length === 0) return
  await tx.query(sql`
    update transaction set unseen_since = now()
    where network = ${network} and tx_hash = any(${[...txHashes]}) and block_height is null
      and unseen_since is null and state = 'pending'`)
}

/**
 * Forgets what those payments lived by that entered their block, or were replaced, at heights `from`..`to`: deeper than
 * any reorganisation that is followed.
 */
export async function forgetSpends(tx: Tx, network: string, from: number, to: number): Promise<void> {
  await tx.query(
    named(
      'forget-spends',
      sql`
      delete from transaction_spend spend using transaction
      where transaction.network = ${network} and spend.network = ${network} and spend.tx_hash = transaction.tx_hash
        and (block_height between ${from} and ${to} or replaced_height between ${from} and ${to})`,
    ),
  )
}

export async function databaseNow(tx: Tx): Promise<Date> {
  const row = await one<{ now: Date }>(tx, sql`select now()::timestamptz(3) as now`)
  return row?.now ?? new Date(0)
}
