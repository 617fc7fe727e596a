/** What was paid to invoices: an invoice may have been paid any number of times, so that no more is read than is needed. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'
import { type TransactionRow, toTransaction, transactionColumns } from './store.ts'
import type { Transaction } from './transaction.ts'

/** A transaction as far as it pays its invoice. */
export type PaymentRow = Pick<
  Transaction,
  'id' | 'txHash' | 'paymentMethodId' | 'amountMinor' | 'fullMinor' | 'inTimeAt' | 'includedAt' | 'state'
> & { readonly invoiceId: string }

/** All transactions of some invoices, in the order they were included; those in no block last. */
export async function readPaymentRows(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<
    Pick<
      TransactionRow,
      | 'id'
      | 'tx_hash'
      | 'payment_method_id'
      | 'amount_minor'
      | 'full_minor'
      | 'in_time_at'
      | 'included_at'
      | 'state'
    > & { readonly invoice_id: string }
  >(
    named(
      'read-payments',
      sql`select id, invoice_id, tx_hash, payment_method_id, amount_minor, full_minor, in_time_at, included_at, state
          from transaction where invoice_id = any(${[...invoiceIds]})
          order by block_height nulls last, block_place, created_at, id`,
    ),
  )
  return rows.map((row) => ({
    id: row.id,
    invoiceId: row.invoice_id,
    txHash: row.tx_hash,
    paymentMethodId: row.payment_method_id,
    amountMinor: BigInt(row.amount_minor),
    fullMinor: row.full_minor === null ? undefined : BigInt(row.full_minor),
    inTimeAt: row.in_time_at,
    includedAt: row.included_at ?? undefined,
    state: row.state,
  }))
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

/** What the other confirmed deposits of some invoices add up to. */
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
          where state = 'confirmed' and not (${isKept}) and invoice_id = any(${[...invoiceIds]})
          group by invoice_id, asset`,
    ),
  )
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    asset: row.asset,
    amountMinor: BigInt(row.amount),
  }))
}
