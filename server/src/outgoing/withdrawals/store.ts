/** Stores and reads withdrawals, and checks what prevents a new one. */
import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readPageByState, type StateFilter } from '../../platform/http/state-page-store.ts'
import type { OrderedPaging } from '../../platform/http/wire.ts'
import {
  cancellableStages,
  type EndReason,
  type Outcome,
  type WaitCause,
  type Withdrawal,
  type WithdrawalStage,
  type WithdrawalState,
} from './withdrawal.ts'

export interface WithdrawalRow {
  readonly id: string
  readonly merchant_id: string
  readonly payment_method_id: number
  readonly asset: string
  readonly address: string
  readonly amount_minor: string
  readonly fee_minor: string
  readonly state: WithdrawalState
  readonly stage: WithdrawalStage | null
  readonly waits_for: WaitCause | null
  readonly released_at: Date | null
  readonly end_reason: EndReason | null
  readonly end_explanation: string | null
  readonly failure_coin_price_usd: string | null
  readonly failure_asset_price_usd: string | null
  readonly network_cost_minor: string | null
  readonly retaken_at: Date | null
  readonly tx_hash: string | null
  readonly invoice_id: string | null
  readonly order_signature: string | null
  readonly release_signature: string | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

export const withdrawalColumns = sql`id, merchant_id, payment_method_id, asset, address, amount_minor, fee_minor, state, stage,
  waits_for, released_at, end_reason, end_explanation, failure_coin_price_usd, failure_asset_price_usd, network_cost_minor,
  retaken_at, tx_hash, invoice_id, order_signature, release_signature, created_at, ended_at`

/** The fields of a new withdrawal. The database sets the time of its creation. */
export type NewWithdrawal = Pick<
  Withdrawal,
  | 'id'
  | 'merchantId'
  | 'paymentMethodId'
  | 'asset'
  | 'address'
  | 'amountMinor'
  | 'feeMinor'
  | 'invoiceId'
  | 'orderSignature'
> & {
  /** The amount in whole units of the asset. */
  readonly amount: string
}

/** Stores a new withdrawal. Returns undefined if a withdrawal with this id exists already. */
export async function insertWithdrawal(tx: Tx, wanted: NewWithdrawal): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    tx,
    named(
      'insert-withdrawal',
      sql`
      insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor,
                              invoice_id, order_signature)
      values (${wanted.id}, ${wanted.merchantId}, ${wanted.paymentMethodId}, ${wanted.asset}, ${wanted.address},
              ${wanted.amountMinor.toString()}, ${wanted.amount}, ${wanted.feeMinor.toString()},
              ${wanted.invoiceId ?? null}, ${wanted.orderSignature ?? null})
      on conflict (id) do nothing
      returning ${withdrawalColumns}`,
    ),
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

export async function findWithdrawal(
  on: Queryable,
  merchantId: string,
  id: string,
): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    on,
    sql`select ${withdrawalColumns} from withdrawal where id = ${id} and merchant_id = ${merchantId}`,
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

/** Returns the withdrawal that pays, or paid, a `withdraw` invoice; undefined if there is none. */
export async function findByClaim(on: Queryable, invoiceId: string): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    on,
    sql`select ${withdrawalColumns} from withdrawal where invoice_id = ${invoiceId} and state in ('pending', 'completed')`,
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

/**
 * Locks withdrawals in the order of their ids. All code that locks several withdrawals keeps this order, so
 * that no deadlock occurs.
 */
export async function lockWithdrawals(tx: Tx, ids: readonly string[]): Promise<readonly Withdrawal[]> {
  const rows = await tx.query<WithdrawalRow>(
    named(
      'lock-withdrawals',
      sql`select ${withdrawalColumns} from withdrawal where id = any(${[...ids]}::uuid[]) order by id for update`,
    ),
  )
  return rows.map(toWithdrawal)
}

/**
 * Locks the withdrawals of a merchant in one asset that can still be cancelled, newest first. Rows that
 * another transaction has locked are skipped, because waiting for them while the merchant's balance is locked
 * could cause a deadlock.
 */
export async function lockCancellable(
  tx: Tx,
  merchantId: string,
  asset: string,
): Promise<readonly Withdrawal[]> {
  const rows = await tx.query<WithdrawalRow>(sql`
    select ${withdrawalColumns} from withdrawal
    where merchant_id = ${merchantId} and asset = ${asset} and state = 'pending'
      and stage = any(${[...cancellableStages]})
    order by created_at desc, id desc
    for update skip locked`)
  return rows.map(toWithdrawal)
}

/** The outcome of withdrawals, and why they end. For completed withdrawals, the reason is not stored. */
export interface EndCause {
  readonly outcome: Outcome
  readonly reason: EndReason
  /** Why the withdrawals ended, in words for the merchant. */
  readonly explanation?: string | undefined
  /** Returns the amount that a failure on chain takes from a hold, in the asset's smallest unit. */
  readonly chargeOf?: (withdrawal: Withdrawal) => bigint
}

/**
 * Ends withdrawals, which must be locked and pending. Returns the time of the end, by the database's clock.
 */
export async function saveOutcome(
  tx: Tx,
  ids: readonly string[],
  { outcome, reason, explanation }: EndCause,
): Promise<Date> {
  const keptReason = outcome === 'completed' ? null : reason
  const rows = await tx.query<{ ended_at: Date }>(
    named(
      'save-withdrawal-outcome',
      sql`update withdrawal set state = ${outcome}, stage = null, waits_for = null, ended_at = coffer_now(),
            end_reason = ${keptReason}, end_explanation = ${explanation ?? null}
          where id = any(${[...ids]}::uuid[])
          returning ended_at`,
    ),
  )
  return rows[0]?.ended_at ?? new Date(0)
}

/** The facts that can prevent a merchant's withdrawal to an address. */
export interface Obstacles {
  /** Whether a withdrawal with this id exists already. */
  readonly isMade: boolean
  /**
   * Whether the address is one of ours: a hot wallet, or an address that is assigned to an invoice or
   * reserved for an invoice.
   */
  readonly isOwnAddress: boolean
  /** The number of the merchant's pending withdrawals, counted up to `pendingMax`. */
  readonly pending: number
}

export async function readObstacles(
  on: Queryable,
  wanted: { id: string; merchantId: string; family: string; address: string; pendingMax: number },
): Promise<Obstacles> {
  const row = await one<Obstacles>(
    on,
    named(
      'read-withdrawal-obstacles',
      sql`
      select exists (select from withdrawal where id = ${wanted.id}) as "isMade",
        exists (
          select from address where family = ${wanted.family} and address = ${wanted.address}
          union all
          select from hot_wallet where address = ${wanted.address}
          union all
          select from hot_wallet_address where network = ${wanted.family} and address = ${wanted.address}
        ) as "isOwnAddress",
        (select count(*) from (
          select from withdrawal where merchant_id = ${wanted.merchantId} and state = 'pending'
          limit ${wanted.pendingMax}
        ) few) as pending`,
    ),
  )
  return required(row, 'a row')
}

/**
 * Returns the latest ordered address that differs from the given address but begins and ends like it. Returns
 * undefined if there is no such address, or if money was ordered to the given address before. The first six
 * and the last four characters are compared, because wallets and explorers show only these.
 */
export async function findLookalike(
  on: Queryable,
  merchantId: string,
  address: string,
): Promise<string | undefined> {
  const row = await one<{ address: string; is_known: boolean }>(
    on,
    named(
      'find-lookalike',
      sql`
      select address, address = ${address} as is_known from withdrawal
      where merchant_id = ${merchantId} and state in ('pending', 'completed')
        and left(address, 6) = left(${address}::text, 6) and right(address, 4) = right(${address}::text, 4)
      order by address = ${address} desc, created_at desc, id
      limit 1`,
    ),
  )
  return row === undefined || row.is_known ? undefined : row.address
}

/** Returns all pending withdrawals of a merchant, newest first. */
export async function readPending(on: Queryable, merchantId: string): Promise<readonly Withdrawal[]> {
  const rows = await on.query<WithdrawalRow>(sql`
    select ${withdrawalColumns} from withdrawal where merchant_id = ${merchantId} and state = 'pending'
    order by created_at desc, id desc`)
  return rows.map(toWithdrawal)
}

/**
 * Returns one page of a merchant's withdrawals, and the total number of withdrawals that match the filter.
 */
export async function listWithdrawals(
  on: Queryable,
  filter: StateFilter<WithdrawalState>,
  paging: OrderedPaging<'createdAt' | 'amount'>,
): Promise<{ withdrawals: readonly Withdrawal[]; total: number }> {
  const from = { table: sql`withdrawal`, columns: withdrawalColumns }
  const { rows, total } = await readPageByState<WithdrawalRow, WithdrawalState>(on, from, filter, paging)
  return { withdrawals: rows.map(toWithdrawal), total }
}

export function toWithdrawal(row: WithdrawalRow): Withdrawal {
  const { state, stage } = row
  return {
    id: row.id,
    merchantId: row.merchant_id,
    paymentMethodId: row.payment_method_id,
    asset: row.asset,
    address: row.address,
    amountMinor: BigInt(row.amount_minor),
    feeMinor: BigInt(row.fee_minor),
    status: state === 'pending' ? { state, stage: stage ?? 'queued' } : { state, stage: undefined },
    waitsFor: row.waits_for ?? undefined,
    isReleased: row.released_at !== null,
    endReason: row.end_reason ?? undefined,
    endExplanation: row.end_explanation ?? undefined,
    failurePrices: toFailurePrices(row),
    networkCostMinor: row.network_cost_minor === null ? undefined : BigInt(row.network_cost_minor),
    isRetaken: row.retaken_at !== null,
    invoiceId: row.invoice_id ?? undefined,
    orderSignature: row.order_signature ?? undefined,
    releaseSignature: row.release_signature ?? undefined,
    txHash: row.tx_hash ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  }
}

function toFailurePrices(row: WithdrawalRow): Withdrawal['failurePrices'] {
  const { failure_coin_price_usd: coin, failure_asset_price_usd: asset } = row
  return coin === null || asset === null
    ? undefined
    : { coinPriceUsd: BigInt(coin), assetPriceUsd: BigInt(asset) }
}
