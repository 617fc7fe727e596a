/** Stores payments without a block. They wait for a block, or another mined transaction replaced them. */
import sql from 'sql-template-tag'
import type { SpentOutpoint } from '../../../chains/port.ts'
import { macsOf, named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Deposit } from '../deposit.ts'
import { type DepositRow, depositColumns, insertDeposits, type NewDeposit, toDeposit } from '../store.ts'

/**
 * Stores payments that are in the mempools. A stored payment without a block is marked as seen again. Its
 * `replaced_by` is cleared if the replacing transaction is not in a block. Payments in blocks are not
 * changed.
 * @returns the new payments
 */
export async function updateSeenDeposits(
  tx: Tx,
  deposits: readonly NewDeposit[],
): Promise<readonly Deposit[]> {
  if (deposits.length === 0) return []
  // A row has `xmax = 0` only if this statement inserted it.
  const rows = await tx.query<DepositRow & { is_new: boolean }>(
    named(
      'update-seen-deposits',
      sql`
      ${insertDeposits(macsOf(tx), deposits, 0)} do update
      set unseen_since = null, first_seen_at = coalesce(deposit.first_seen_at, excluded.first_seen_at),
          in_time_at = least(deposit.in_time_at, excluded.in_time_at),
          replaced_by = case when deposit.replaced_height is not null then deposit.replaced_by end
      where deposit.block_height is null
      returning ${depositColumns}, xmax = 0 as is_new`,
    ),
  )
  return rows.filter((row) => row.is_new).map(toDeposit)
}

/** An outpoint that a payment, or an unconfirmed ancestor of the payment, spends. */
export interface SpendRow extends SpentOutpoint {
  /** The hash of the payment. The field `txHash` is the hash of the transaction that spends the outpoint. */
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

/**
 * A spent outpoint, with the height of the block that spends it. `height` is undefined if the spending
 * transaction is unconfirmed.
 */
export interface SpentAt extends SpentOutpoint {
  readonly height: number | undefined
}

/**
 * Marks payments without a block as replaced if another transaction spends one of their outpoints, or an
 * outpoint of an unconfirmed ancestor. If that transaction is in a block, the payment is also marked as
 * unseen, because no mempool can contain it.
 */
export async function markReplaced(tx: Tx, network: string, spent: readonly SpentAt[]): Promise<void> {
  if (spent.length === 0) return
  await tx.query(
    named(
      'mark-replaced',
      sql`
      update deposit
      set replaced_by = rival.tx_hash, replaced_height = rival.height,
          unseen_since = case when rival.height is null then unseen_since else coalesce(unseen_since, coffer_now()) end
      from (
        select distinct on (spend.tx_hash) spend.tx_hash as payment_hash, reported.tx_hash, reported.height
        from unnest(
          ${spent.map(({ outpoint }) => outpoint)}::text[], ${spent.map(({ txHash }) => txHash)}::text[],
          ${spent.map(({ height }) => height ?? null)}::bigint[]
        ) as reported (outpoint, tx_hash, height)
        join transaction_spend spend on spend.network = ${network} and spend.outpoint = reported.outpoint
          and spend.spender_hash <> reported.tx_hash
        order by spend.tx_hash, reported.height, reported.tx_hash
      ) rival
      where deposit.network = ${network} and deposit.tx_hash = rival.payment_hash
        and block_height is null and state = 'pending' and replaced_height is null`,
    ),
  )
}

/**
 * Marks payments as failed if a transaction in a block up to `finalHeight` replaced them. Returns the failed
 * payments and the database's time.
 */
export async function failReplaced(
  tx: Tx,
  network: string,
  finalHeight: number,
): Promise<{ readonly failed: readonly Deposit[]; readonly at: Date }> {
  const rows = await tx.query<DepositRow & { now: Date }>(
    named(
      'fail-replaced',
      sql`
      with failed as (
        update deposit set state = 'failed', failures = failures + 1
        where network = ${network} and state = 'pending' and replaced_height <= ${finalHeight}
        returning ${depositColumns}, coffer_now()::timestamptz(3) as now
      )
      select * from failed order by id`,
    ),
  )
  return { failed: rows.map(toDeposit), at: rows[0]?.now ?? new Date(0) }
}

/**
 * Makes payments pending again if the transaction that replaced them was in a block above `height`. Returns
 * the payments that had failed before, and the time of the database.
 */
export async function restoreReplaced(
  tx: Tx,
  network: string,
  height: number,
): Promise<{ readonly restored: readonly Deposit[]; readonly at: Date }> {
  const rows = await tx.query<DepositRow & { was: string; now: Date }>(sql`
    with dropped as (
      select id as dropped_id, state as was from deposit
      where network = ${network} and replaced_height > ${height} order by id for no key update
    ), restored as (
      update deposit set replaced_by = null, replaced_height = null, state = 'pending'
      from dropped where id = dropped_id
      returning ${depositColumns}, was, coffer_now()::timestamptz(3) as now
    )
    select * from restored order by id`)
  const failed = rows.filter(({ was }) => was === 'failed')
  return { restored: failed.map(toDeposit), at: rows[0]?.now ?? new Date(0) }
}

/** The hashes of pending payments that are not in a block. */
export interface BlocklessPayments {
  /** Payments that were in a mempool when it was last polled. */
  readonly seen: readonly string[]
  /** Payments that are in no mempool: they left a block or a mempool, or a block replaced them. */
  readonly unseen: readonly string[]
}

export async function readBlockless(on: Queryable, network: string): Promise<BlocklessPayments> {
  const rows = await on.query<{ tx_hash: string; is_seen: boolean }>(
    named(
      'read-blockless',
      sql`select distinct tx_hash, unseen_since is null as is_seen from deposit
          where network = ${network} and block_height is null and state = 'pending'`,
    ),
  )
  const hashesOf = (isSeen: boolean) => rows.filter((row) => row.is_seen === isSeen).map((row) => row.tx_hash)
  return { seen: hashesOf(true), unseen: hashesOf(false) }
}

export async function markUnseen(tx: Tx, network: string, txHashes: readonly string[]): Promise<void> {
  if (txHashes.length === 0) return
  await tx.query(sql`
    update deposit set unseen_since = coffer_now()
    where network = ${network} and tx_hash = any(${[...txHashes]}) and block_height is null
      and unseen_since is null and state = 'pending'`)
}

/**
 * Deletes the stored outpoints of payments that were mined or replaced at heights `from`..`to`. No
 * reorganisation that Coffer follows reaches these blocks.
 */
export async function forgetSpends(tx: Tx, network: string, from: number, to: number): Promise<void> {
  await tx.query(
    named(
      'forget-spends',
      sql`
      delete from transaction_spend spend using deposit
      where deposit.network = ${network} and spend.network = ${network} and spend.tx_hash = deposit.tx_hash
        and (block_height between ${from} and ${to} or replaced_height between ${from} and ${to})`,
    ),
  )
}

export async function databaseNow(tx: Tx): Promise<Date> {
  const row = await one<{ now: Date }>(tx, sql`select coffer_now()::timestamptz(3) as now`)
  return row?.now ?? new Date(0)
}
