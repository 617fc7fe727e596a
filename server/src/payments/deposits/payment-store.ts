/** What was paid to invoices: an invoice may have been paid any number of times, so that no more is read than is needed. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'
import type { Transaction } from './deposit.ts'
import { type TransactionRow, toTransaction, transactionColumns } from './store.ts'

/** A transaction as far as it pays its invoice. */
export type PaymentRow = Pick<
  Transaction,
  | 'id'
  | 'txHash'
  | 'paymentMethodId'
  | 'amountMinor'
  | 'fullMinor'
  | 'inTimeAt'
  | 'includedAt'
  | 'state'
  | 'verdict'
  | 'quarantine'
> & { readonly invoiceId: string }

type StoredPayment = Pick<
  TransactionRow,
  | 'id'
  | 'tx_hash'
  | 'payment_method_id'
  | 'amount_minor'
  | 'full_minor'
  | 'in_time_at'
  | 'included_at'
  | 'state'
  | 'aml_verdict'
  | 'quarantine'
> & { readonly invoice_id: string }

/** All transactions of some invoices, in the order they were included; those in no block last. */
export async function readPaymentRows(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<StoredPayment>(
    named(
      'read-payments',
      sql`select id, invoice_id, tx_hash, payment_method_id, amount_minor, full_minor, in_time_at, included_at, state,
            aml_verdict, quarantine
          from transaction where invoice_id = any(${[...invoiceIds]})
          order by block_height nulls last, block_place, created_at, id`,
    ),
  )
  return rows.map(toPaymentRow)
}

/** Whether the payment came before its invoice's end; both tables must be in the query. */
const inTime = sql`coalesce(in_time_at < least(invoice.expires_at, invoice.closed_at, invoice.deleted_at), true)`
/** One number for the order of inclusion: no block holds 2^31 deposits, no chain as many blocks. */
const position = sql`(block_height << 31) + block_place`

/**
 * The same, added up where the rules tell no difference: in one asset, at one price, as far along, screened alike, in
 * time or not. Each
 * sum stands where the last of it was included, and names no transaction.
 */
export async function readPaymentSums(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<StoredPayment>(
    named(
      'read-payment-sums',
      sql`
      select '' as id, '' as tx_hash, invoice_id, transaction.payment_method_id, full_minor, transaction.state,
        aml_verdict, quarantine, sum(amount_minor) as amount_minor, min(in_time_at) as in_time_at, max(included_at) as included_at
      from transaction join invoice on invoice.id = transaction.invoice_id
      where invoice_id = any(${[...invoiceIds]})
      group by invoice_id, transaction.payment_method_id, full_minor, transaction.state, aml_verdict, quarantine,
        block_height is null, ${inTime}
      order by max(${position}) nulls last`,
    ),
  )
  return rows.map(toPaymentRow)
}

/**
 * The payments of reusable invoices that may change something: those not confirmed, those told of wrongly, those whose
 * sender did not pass screening. Of the others,
 * which are settled, one of each kind stands for all: full or not, over or not, in time or not.
 * @param stepsMinor the smallest difference a payer sees, by payment method
 */
export async function readUnsettledPayments(
  on: Queryable,
  invoiceIds: readonly string[],
  stepsMinor: ReadonlyMap<number, bigint>,
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<StoredPayment>(
    named(
      'read-unsettled-payments',
      sql`
      with judged as not materialized (
        select transaction.id, transaction.invoice_id, transaction.state, ${inTime} as in_time,
          amount_minor - full_minor >= step_minor as is_over,
          coalesce(
            amount_minor * 10000 >= full_minor * (10000 - tolerance_basis_points) and ${inTime}, false
          ) or transaction.id = any(accepted_ids) as is_full,
          full_payment.transaction_id is not null as is_told,
          coalesce(aml_verdict = 'passed' or quarantine = 'released', aml_verdict is null) as is_aml_ok
        from transaction
        join invoice on invoice.id = transaction.invoice_id
        join unnest(
          ${[...stepsMinor.keys()]}::integer[], ${[...stepsMinor.values()].map(String)}::numeric[]
        ) as method (id, step_minor) on method.id = transaction.payment_method_id
        left join full_payment
          on full_payment.invoice_id = transaction.invoice_id and full_payment.transaction_id = transaction.id
        where transaction.invoice_id = any(${[...invoiceIds]})
      ), telling as (
        select id from judged where state <> 'confirmed' or is_full <> is_told or not is_aml_ok
        union all
        select (array_agg(id))[1] from judged where state = 'confirmed' and is_full = is_told and is_aml_ok
        group by invoice_id, is_full, is_over, in_time
      )
      select id, invoice_id, tx_hash, payment_method_id, amount_minor, full_minor, in_time_at, included_at, state,
        aml_verdict, quarantine
      from transaction where id in (select id from telling)
      order by block_height nulls last, block_place, created_at, id`,
    ),
  )
  return rows.map(toPaymentRow)
}

function toPaymentRow(row: StoredPayment): PaymentRow {
  return {
    id: row.id,
    invoiceId: row.invoice_id,
    txHash: row.tx_hash,
    paymentMethodId: row.payment_method_id,
    amountMinor: BigInt(row.amount_minor),
    fullMinor: row.full_minor === null ? undefined : BigInt(row.full_minor),
    inTimeAt: row.in_time_at,
    includedAt: row.included_at ?? undefined,
    state: row.state,
    verdict: row.aml_verdict ?? undefined,
    quarantine: row.quarantine ?? undefined,
  }
}

const isKept = sql`state = 'confirmed' and below_minimum and net_minor is null`

/** The confirmed deposits of some invoices that are kept apart, as together they are below the minimum. */
export async function readKept(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly Transaction[]> {
  const rows = await on.query<TransactionRow>(
    named(
      'read-kept',
      sql`select ${transactionColumns} from transaction where ${isKept} and invoice_id = any(${[...invoiceIds]})`,
    ),
  )
  return rows.map(toTransaction)
}

/** What the other confirmed deposits of some invoices add up to, without those in quarantine. */
export type ConfirmedSum = Pick<Transaction, 'invoiceId' | 'asset' | 'amountMinor'>

/** By invoice and asset. Added up here, as an invoice may have been paid any number of times. */
export async function sumConfirmed(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly ConfirmedSum[]> {
  const rows = await on.query<{ invoice_id: string; asset: string; amount: string }>(
    named(
      'sum-confirmed',
      sql`select invoice_id, asset, sum(amount_minor) as amount from transaction
          where state = 'confirmed' and not (${isKept}) and coalesce(quarantine, 'released') = 'released' and invoice_id = any(${[...invoiceIds]})
          group by invoice_id, asset`,
    ),
  )
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    asset: row.asset,
    amountMinor: BigInt(row.amount),
  }))
}
