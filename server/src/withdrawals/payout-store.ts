/** Withdrawals as their payouts see them. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { toWithdrawal, type WithdrawalRow, withdrawalColumns } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface Approved {
  readonly withdrawal: Withdrawal
  readonly mac: string
}

/** The oldest approved orders in each asset; none of merchants who owe anything. */
export async function readApproved(
  on: Queryable,
  assets: readonly string[],
  maxEach: number,
): Promise<readonly Approved[]> {
  const rows = await on.query<WithdrawalRow & { approval_mac: string }>(
    named(
      'read-approved-withdrawals',
      sql`
      select first.* from unnest(${[...assets]}::text[]) wanted (asset)
      cross join lateral (
        select ${withdrawalColumns}, approval_mac from withdrawal
        where withdrawal.asset = wanted.asset and stage = 'approved' and approval_mac is not null
          and not exists (
            select from ledger_account
            where owner_id = merchant_id and name = 'suspense' and debits > credits
          )
        order by created_at, id limit ${maxEach}
      ) first
      order by first.created_at, first.id`,
    ),
  )
  return rows.map((row) => ({ withdrawal: toWithdrawal(row), mac: row.approval_mac }))
}

/** Which of some merchants owe anything, in any asset. */
export async function findOwing(on: Queryable, merchantIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    named(
      'find-owing-merchants',
      sql`select distinct owner_id as id from ledger_account
          where owner_id = any(${[...merchantIds]}::uuid[]) and name = 'suspense' and debits > credits`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

/** Where pending withdrawals stand now; they must be locked. */
export async function saveProgress(
  tx: Tx,
  withdrawals: readonly Pick<Withdrawal, 'id' | 'standing' | 'txHash'>[],
): Promise<Date> {
  const rows = await tx.query<{ at: Date }>(
    named(
      'save-withdrawal-progress',
      sql`
      update withdrawal set stage = progress.stage, tx_hash = progress.tx_hash, waits_for = null
      from unnest(
        ${withdrawals.map(({ id }) => id)}::uuid[],
        ${withdrawals.map(({ standing }) => standing.stage ?? null)}::text[],
        ${withdrawals.map(({ txHash }) => txHash ?? null)}::text[]
      ) progress (id, stage, tx_hash)
      where withdrawal.id = progress.id and state = 'pending'
      returning now() as at`,
    ),
  )
  return rows[0]?.at ?? new Date(0)
}

/**
 * Opens an ended withdrawal again as one that is signed; it must be locked. A claim that another pays by now is that
 * one's.
 */
export async function saveRetaken(tx: Tx, id: string): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    tx,
    sql`
    update withdrawal
    set state = 'pending', stage = 'signed', ended_at = null, end_reason = null, end_explanation = null,
      retaken_at = now(),
      invoice_id = case when not exists (
        select from withdrawal other
        where other.invoice_id = withdrawal.invoice_id and other.state in ('pending', 'completed')
      ) then invoice_id end
    where id = ${id} and state in ('failed', 'cancelled') and retaken_at is null
    returning ${withdrawalColumns}`,
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

/** What an order asks for, as the chain shows a payment. */
export interface WantedPayment {
  readonly asset: string
  readonly address: string
  readonly netMinor: bigint
  /** Orders that ended before are left out. */
  readonly since: Date
}

/**
 * The oldest order for just that payment for which nothing was signed, pending ones first; then one that ended unpaid lately,
 * and was not opened again since.
 */
export async function findUnsigned(
  on: Queryable,
  { asset, address, netMinor, since }: WantedPayment,
): Promise<{ readonly withdrawal: Withdrawal; readonly mac: string | undefined } | undefined> {
  const row = await one<WithdrawalRow & { approval_mac: string | null }>(
    on,
    sql`
    select ${withdrawalColumns}, approval_mac from withdrawal
    where asset = ${asset} and address = ${address} and amount_minor - fee_minor = ${netMinor.toString()}::numeric
      and (state = 'pending' or (state in ('failed', 'cancelled') and retaken_at is null and ended_at >= ${since}))
      and not exists (
        select from payout where payout.state <> 'planned' and payout.network = split_part(withdrawal.asset, '/', 1)
          and payout.kind = 'withdrawal' and payout.id = withdrawal.id)
      and (stage is null or stage in ('queued', 'approved', 'planned'))
    order by state <> 'pending', created_at, id limit 1`,
  )
  return row === undefined ? undefined : { withdrawal: toWithdrawal(row), mac: row.approval_mac ?? undefined }
}
