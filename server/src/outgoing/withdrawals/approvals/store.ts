/** Reads the queue of orders that are not approved yet, and stores the decisions about them. */

import sql from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../../platform/http/wire.ts'
import { readShownHalts } from '../../engine/controls/active-halts.ts'
import { toWithdrawal, type WithdrawalRow, withdrawalColumns } from '../store.ts'
import type { WaitCause, Withdrawal } from '../withdrawal.ts'
import type { Purse } from './coverage.ts'
import { creditsOf } from './credits-store.ts'
import { type StuckScope, stuckCredits } from './stuck-store.ts'

/** A queued order, with the data that decides whether it may leave the queue. */
export interface Queued {
  readonly withdrawal: Withdrawal
  /** Whether the journal of the order's hold is sealed. */
  readonly isSealed: boolean
  /** Whether the order's merchant has a negative balance in any asset. */
  readonly owes: boolean
  /** The merchant's money in the order's asset. */
  readonly purse: Purse
}

export type QueueScope = StuckScope

interface QueuedRow extends WithdrawalRow {
  readonly is_sealed: boolean
  readonly owes: boolean
  readonly booked: string
  readonly unfinal: string
  readonly stuck: string
  readonly promised: string
}

/**
 * Returns SQL that sums the credits for deposits of a network that the role `payouts` has not proven. A
 * deposit is not proven, for instance, while its block is not final.
 */
function unprovenCredits({ network }: QueueScope) {
  return sql`
    with unsettled as (
      select id, inclusion, merchant_id, asset, net_minor from deposit
      where network = ${network} and state = 'confirmed' and proven_inclusion is distinct from inclusion
    )
    ${creditsOf(sql`unsettled`)}`
}

/**
 * Returns the orders to decide about, oldest first. The number of orders per merchant and asset is limited.
 * Each merchant's first order is taken before any merchant's second, so that no merchant's queue blocks
 * another's. Orders that wait for an operator are left out until an operator has decided. Their amounts are
 * included in `promisedMinor`.
 *
 * All data is read in one statement, and therefore from one snapshot of the database. Money that moves
 * between accounts at the same time is neither missed nor counted twice.
 */
export async function readQueue(on: Queryable, scope: QueueScope): Promise<readonly Queued[]> {
  const { assets } = scope
  const rows = await on.query<QueuedRow>(
    named(
      scope.hasOutpoints ? 'read-withdrawal-queue-of-utxos' : 'read-withdrawal-queue',
      sql`
      with numbered as (
        select withdrawal.*, row_number() over (partition by merchant_id, asset order by created_at, id) as ordinal
        from withdrawal
        where stage = 'queued' and asset = any (${[...assets]})
          and (waits_for is distinct from 'operator' or released_at is not null)
      ), queued as (
        select * from numbered where ordinal <= ${limits.withdrawalsWeighedPerMerchant}
        -- Every merchant's oldest order comes first, so that no merchant fills a round alone.
        order by ordinal, created_at, id limit ${limits.withdrawalsWeighed}
      ), purse as (
        select distinct merchant_id, asset from queued
      ), booked as (
        select owner_id as merchant_id, asset, sum(credits - debits) as minor
        from ledger_account
        where owner_id in (select merchant_id from purse) and name in ('available', 'held')
        group by owner_id, asset
      ), owing as (
        select distinct owner_id as merchant_id from ledger_account
        where owner_id in (select merchant_id from purse) and name = 'receivable' and debits > credits
      ), unfinal as (${unprovenCredits(scope)}
      ), stuck as (${stuckCredits(scope)}
      ), promised as (
        select merchant_id, asset, sum(amount_minor) as minor
        from withdrawal
        where state = 'pending' and merchant_id in (select merchant_id from purse)
          and (stage <> 'queued' or (waits_for = 'operator' and released_at is null))
        group by merchant_id, asset
      )
      select ${withdrawalColumns},
        not exists (
          select from journal join journal_unsealed on journal_id = journal.id
          where journal.subject = 'withdrawal:' || queued.id || ':requested'
        ) as is_sealed,
        owing.merchant_id is not null as owes,
        coalesce(booked.minor, 0) as booked,
        coalesce(unfinal.minor, 0) as unfinal,
        coalesce(stuck.minor, 0) as stuck,
        coalesce(promised.minor, 0) as promised
      from queued
      left join booked using (merchant_id, asset)
      left join unfinal using (merchant_id, asset)
      left join stuck using (merchant_id, asset)
      left join promised using (merchant_id, asset)
      left join owing using (merchant_id)
      order by created_at, id`,
    ),
  )
  return rows.map((row) => ({
    withdrawal: toWithdrawal(row),
    isSealed: row.is_sealed,
    owes: row.owes,
    purse: {
      bookedMinor: BigInt(row.booked),
      unfinalMinor: BigInt(row.unfinal),
      stuckMinor: BigInt(row.stuck),
      promisedMinor: BigInt(row.promised),
    },
  }))
}

/** Returns whether a halt keeps all money from leaving. */
export async function isHalted(on: Queryable): Promise<boolean> {
  return (await readShownHalts(on)).length > 0
}

/**
 * Approves queued orders and stores, for each order, the MAC of what was approved. The orders must be locked.
 */
export async function saveApprovals(
  tx: Tx,
  approvals: readonly { readonly id: string; readonly mac: string }[],
): Promise<void> {
  await tx.query(sql`
    update withdrawal set stage = 'approved', waits_for = null, approved_at = coffer_now(), approval_mac = approval.mac
    from unnest(${approvals.map(({ id }) => id)}::uuid[], ${approvals.map(({ mac }) => mac)}::text[]) approval (id, mac)
    where withdrawal.id = approval.id and stage = 'queued'`)
}

/** Stores why queued orders wait. */
export async function saveWaits(
  tx: Tx,
  waits: readonly { readonly id: string; readonly cause: WaitCause | undefined }[],
): Promise<void> {
  await tx.query(sql`
    update withdrawal set waits_for = wait.cause
    from unnest(${waits.map(({ id }) => id)}::uuid[], ${waits.map(({ cause }) => cause ?? null)}::text[]) wait (id, cause)
    where withdrawal.id = wait.id and stage = 'queued'`)
}

/**
 * Stores an operator's release of a queued order. A released order is approved regardless of its worth. The
 * order must be locked.
 */
export async function saveReleased(tx: Tx, id: string, signature: string): Promise<void> {
  await tx.query(sql`
    update withdrawal set released_at = coffer_now(), release_signature = ${signature}, waits_for = null where id = ${id}`)
}

/** Lists withdrawals that wait for an operator or for a price, oldest first. */
export async function listForOperator(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly withdrawals: readonly Withdrawal[]; readonly total: number }> {
  const where = sql`waits_for in ('rate', 'operator') and released_at is null`
  const rows = await on.query<WithdrawalRow>(sql`
    select ${withdrawalColumns} from withdrawal where ${where}
    order by created_at, id limit ${paging.limit} offset ${offsetOf(paging)}`)
  const [counted] = await on.query<{ total: number }>(
    sql`select count(*) as total from withdrawal where ${where}`,
  )
  return { withdrawals: rows.map(toWithdrawal), total: counted?.total ?? 0 }
}
