import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type PaymentMethods, payerStepMinor } from '../../pricing/payment-methods/payment-method.ts'
import type { Payment, PaymentDetail } from '../invoices/invoice.ts'
import { isAmlOk } from './deposit.ts'
import { type PaymentRow, readPaymentRows, readPaymentSums, readUnsettledPayments } from './payment-store.ts'

/** Returns the payments of some invoices by invoice id, in the order of inclusion. */
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

/**
 * Returns whether a deposit counts as a payment. An implausible deposit counts only after its release from
 * quarantine.
 */
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
    depositId: row.id,
    txHash: row.txHash,
    paymentMethodId: method.id,
    amountMinor: row.amountMinor,
    fullMinor: row.fullMinor,
    stepMinor: payerStepMinor(method),
    inTimeAt: row.inTimeAt,
    included: row.includedAt !== undefined,
    includedAt: row.includedAt,
    // The money of a quarantined deposit belongs to the merchant only after the release.
    confirmed: row.state === 'confirmed' && (row.quarantine ?? 'released') === 'released',
    amlOk: isAmlOk(row),
  }
}
