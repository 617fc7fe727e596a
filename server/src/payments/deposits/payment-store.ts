/**
 * Reads the payments of invoices. An invoice may have any number of payments, so each query reads only what
 * its caller needs.
 */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'
import type { Deposit } from './deposit.ts'
import { type DepositRow, depositColumns, toDeposit } from './store.ts'

/** The fields of a deposit that decide how much of its invoice the deposit pays. */
export type PaymentRow = Pick<
  Deposit,
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
  DepositRow,
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

/** Returns all deposits of some invoices in the order of their blocks. Deposits without a block come last. */
export async function readPaymentRows(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<StoredPayment>(
    named(
      'read-payments',
      sql`select id, invoice_id, tx_hash, payment_method_id, amount_minor, full_minor, in_time_at, included_at, state,
            aml_verdict, quarantine
          from deposit where invoice_id = any(${[...invoiceIds]})
          order by block_height nulls last, block_position, created_at, id`,
    ),
  )
  return rows.map(toPaymentRow)
}

/**
 * SQL: whether a payment was made before its invoice expired, was closed or was deleted. The query must
 * contain the tables `deposit` and `invoice`.
 */
const inTime = sql`coalesce(in_time_at < least(invoice.expires_at, invoice.closed_at, invoice.deleted_at), true)`
/**
 * SQL: the position of a deposit on its chain as one number. The number fits into 64 bits, because no block
 * has 2^31 deposits and no chain has 2^31 blocks.
 */
const position = sql`(block_height << 31) + block_position`

/**
 * Returns the payments of some invoices, grouped and summed. The payments of a group have the same invoice,
 * asset, price, state and screening result. Either all of them are in time or all are late, and either all or
 * none of them are in a block. Each sum has the form of a payment, but with an empty deposit id and
 * transaction hash. The sums are sorted by the last payment of their groups.
 */
export async function readPaymentSums(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly PaymentRow[]> {
  const rows = await on.query<StoredPayment>(
    named(
      'read-payment-sums',
      sql`
      select '' as id, '' as tx_hash, invoice_id, deposit.payment_method_id, full_minor, deposit.state,
        aml_verdict, quarantine, sum(amount_minor) as amount_minor, min(in_time_at) as in_time_at, max(included_at) as included_at
      from deposit join invoice on invoice.id = deposit.invoice_id
      where invoice_id = any(${[...invoiceIds]})
      group by invoice_id, deposit.payment_method_id, full_minor, deposit.state, aml_verdict, quarantine,
        block_height is null, ${inTime}
      order by max(${position}) nulls last, invoice_id, deposit.payment_method_id, full_minor, deposit.state,
        aml_verdict, quarantine, ${inTime}`,
    ),
  )
  return rows.map(toPaymentRow)
}

/**
 * Returns the payments of reusable invoices that may still change the status or cause an event. These are
 * payments that are not confirmed or did not pass screening. They are also payments that became full and are
 * not reported yet, or were reported and are no longer full. All other payments are settled. Settled payments
 * are grouped by three properties: full or not, overpaid or not, in time or late. One settled payment of each
 * group is returned.
 * @param stepsMinor the smallest amount that the checkout displays, by payment method id
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
      with evaluated as not materialized (
        select deposit.id, deposit.invoice_id, deposit.state, ${inTime} as in_time,
          amount_minor - full_minor >= step_minor as is_over,
          coalesce(
            amount_minor * 10000 >= full_minor * (10000 - tolerance_basis_points) and ${inTime}, false
          ) or deposit.id = any(accepted_ids) as is_full,
          full_payment.deposit_id is not null as was_emitted,
          coalesce(aml_verdict = 'passed' or quarantine = 'released', aml_verdict is null) as is_aml_ok
        from deposit
        join invoice on invoice.id = deposit.invoice_id
        join unnest(
          ${[...stepsMinor.keys()]}::integer[], ${[...stepsMinor.values()].map(String)}::numeric[]
        ) as method (id, step_minor) on method.id = deposit.payment_method_id
        left join full_payment
          on full_payment.invoice_id = deposit.invoice_id and full_payment.deposit_id = deposit.id
        where deposit.invoice_id = any(${[...invoiceIds]})
      ), telling as (
        select id from evaluated where state <> 'confirmed' or is_full <> was_emitted or not is_aml_ok
        union all
        select (array_agg(id))[1] from evaluated where state = 'confirmed' and is_full = was_emitted and is_aml_ok
        group by invoice_id, is_full, is_over, in_time
      )
      select id, invoice_id, tx_hash, payment_method_id, amount_minor, full_minor, in_time_at, included_at, state,
        aml_verdict, quarantine
      from deposit where id in (select id from telling)
      order by block_height nulls last, block_position, created_at, id`,
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

/**
 * Returns those confirmed deposits of some invoices which are kept apart. A deposit is kept apart because the
 * deposits of its invoice are below the minimum.
 */
export async function readKept(on: Queryable, invoiceIds: readonly string[]): Promise<readonly Deposit[]> {
  const rows = await on.query<DepositRow>(
    named(
      'read-kept',
      sql`select ${depositColumns} from deposit where ${isKept} and invoice_id = any(${[...invoiceIds]})
          order by block_height, block_position, id`,
    ),
  )
  return rows.map(toDeposit)
}

/**
 * The sum of an invoice's confirmed deposits in one asset. Deposits that are kept apart, or were put into
 * quarantine and not released, are not included.
 */
export type ConfirmedSum = Pick<Deposit, 'invoiceId' | 'asset' | 'amountMinor'>

/**
 * Returns one sum for each invoice and asset. The database adds up the payments, because an invoice may have
 * any number of them.
 */
export async function sumConfirmed(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<readonly ConfirmedSum[]> {
  const rows = await on.query<{ invoice_id: string; asset: string; amount: string }>(
    named(
      'sum-confirmed',
      sql`select invoice_id, asset, sum(amount_minor) as amount from deposit
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
