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

/** What a new withdrawal is made of; the database gives it its time. */
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
  /** In whole units. */
  readonly amount: string
}

/** Stores a new withdrawal; undefined when one of that id is there already. */
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

/** The withdrawal that pays, or paid, the claim of an invoice; none while the claim is open. */
export async function findByClaim(on: Queryable, invoiceId: string): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    on,
    sql`select ${withdrawalColumns} from withdrawal where invoice_id = ${invoiceId} and state in ('pending', 'completed')`,
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

/** Locks withdrawals in the order of their ids, which every locker of several keeps to. */
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
 * Locks those that can still be cancelled of a merchant's withdrawals in one asset, newest first. One that another
 * transaction has its hands on is passed over: to wait for it with the merchant's balance locked could be for ever.
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

/** How withdrawals end. The reason of one that is completed is not kept: it went as it should. */
export interface EndCause {
  readonly outcome: Outcome
  readonly reason: EndReason
  /** In words, for the merchant. */
  readonly explanation?: string | undefined
  /** By id, what failing on chain takes from the hold, in the asset. */
  readonly chargedMinor?: ReadonlyMap<string, bigint>
}

/** Ends withdrawals, which must be locked and pending; returns the database's time. */
export async function saveOutcome(
  tx: Tx,
  ids: readonly string[],
  { outcome, reason, explanation }: EndCause,
): Promise<Date> {
  const keptReason = outcome === 'completed' ? null : reason
  const rows = await tx.query<{ ended_at: Date }>(
    named(
      'save-withdrawal-outcome',
      sql`update withdrawal set state = ${outcome}, stage = null, waits_for = null, ended_at = now(),
            end_reason = ${keptReason}, end_explanation = ${explanation ?? null}
          where id = any(${[...ids]}::uuid[])
          returning ended_at`,
    ),
  )
  return rows[0]?.ended_at ?? new Date(0)
}

/** What stands between a merchant and a withdrawal to `address`. */
export interface Obstacles {
  /** Whether the withdrawal of that id is there already. */
  readonly isMade: boolean
  /** Whether the address is one of ours: a hot wallet, or one that is given to an invoice or kept for one. */
  readonly isOurs: boolean
  /** How many of the merchant's withdrawals are pending, counted up to `pendingMax`. */
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
          select from hot_place where network = ${wanted.family} and address = ${wanted.address}
        ) as "isOurs",
        (select count(*) from (
          select from withdrawal where merchant_id = ${wanted.merchantId} and state = 'pending'
          limit ${wanted.pendingMax}
        ) few) as pending`,
    ),
  )
  return required(row, 'a row')
}

/**
 * The address last ordered to that begins and ends like this one and is another; undefined where there is none, or where
 * money was ordered to this very one before. Six and four characters are what wallets and explorers show of an address.
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
      order by address = ${address} desc, created_at desc
      limit 1`,
    ),
  )
  return row === undefined || row.is_known ? undefined : row.address
}

/** All that are pending, newest first. */
export async function readPending(on: Queryable, merchantId: string): Promise<readonly Withdrawal[]> {
  const rows = await on.query<WithdrawalRow>(sql`
    select ${withdrawalColumns} from withdrawal where merchant_id = ${merchantId} and state = 'pending'
    order by created_at desc, id desc`)
  return rows.map(toWithdrawal)
}

/** One page of a merchant's withdrawals and how many match in all. */
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
    standing: state === 'pending' ? { state, stage: stage ?? 'queued' } : { state, stage: undefined },
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
