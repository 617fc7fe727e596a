import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type PaymentMethods, payerStepMinor } from '../../pricing/payment-methods/payment-method.ts'
import type { Payment, PaymentDetail } from '../invoices/invoice.ts'
import { isAmlOk } from './deposit.ts'
import { type PaymentRow, readPaymentRows, readPaymentSums, readUnsettledPayments } from './payment-store.ts'

/** The transactions of invoices as the invoices' rules see them, in the order of inclusion. */
export async function readPayments(
  methods: PaymentMethods,
  on: Queryable,
  invoiceIds: readonly string[],
  detail: PaymentDetail,
): Promise<ReadonlyMap<string, readonly Payment[]>> {
  if (invoiceIds.length === 0) return new Map()
  const rows = (await readRows(methods, on, invoiceIds, detail)).filter(isBelieved)
  const grouped = groupBy(rows, ({ invoiceId }) => invoiceId)
  return new Map([...grouped].map(([id, own]) => [id, own.map((row) => toPayment(methods, row))]))
}

/** What nobody can have moved pays nothing, unless an operator says that it is there. */
function isBelieved({ verdict, quarantine }: PaymentRow): boolean {
  return verdict !== 'implausible' || quarantine === 'released'
}

function readRows(
  methods: PaymentMethods,
  on: Queryable,
  invoiceIds: readonly string[],
  detail: PaymentDetail,
): Promise<readonly PaymentRow[]> {
  if (detail === 'each') return readPaymentRows(on, invoiceIds)
  if (detail === 'summed') return readPaymentSums(on, invoiceIds)
  const steps = new Map(methods.all.map((method) => [method.id, payerStepMinor(method)]))
  return readUnsettledPayments(on, invoiceIds, steps)
}

function toPayment(methods: PaymentMethods, row: PaymentRow): Payment {
  const method = required(methods.byId(row.paymentMethodId), 'the method of a payment')
  return {
    transactionId: row.id,
    txHash: row.txHash,
    paymentMethodId: method.id,
    amountMinor: row.amountMinor,
    fullMinor: row.fullMinor,
    stepMinor: payerStepMinor(method),
    inTimeAt: row.inTimeAt,
    included: row.includedAt !== undefined,
    includedAt: row.includedAt,
    // What is in quarantine is the merchant's money only once it is released.
    confirmed: row.state === 'confirmed' && (row.quarantine ?? 'released') === 'released',
    amlOk: isAmlOk(row),
  }
}
