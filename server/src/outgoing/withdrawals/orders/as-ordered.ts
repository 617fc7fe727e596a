/**
 * Restores, before the end of an order is booked, what was ordered. Somebody who can write to the database may
 * have changed the row since the order was checked. The amounts of the end are therefore those of the hold and
 * of the signed payment, and not those of the row.
 */
import { min } from '../../../core/money.ts'
import { noteTamperings, type Tampering } from '../../../platform/audit/tampering-store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { type OpenHold, readOpenHolds } from './open-hold.ts'

export interface Ordered {
  /** The withdrawal as it was ordered. */
  readonly withdrawal: Withdrawal
  /** Whether the books hold its amount. If not, nothing may be released. */
  readonly isHeld: boolean
}

/**
 * Returns locked withdrawals as they were ordered. Records each row that differs as tampering, so that
 * payouts halt. The row itself stays unchanged.
 * @param payments the payments of the outgoing transactions, by withdrawal id
 */
export async function readAsOrdered(
  methods: PaymentMethods,
  tx: Tx,
  rows: readonly Withdrawal[],
  payments: ReadonlyMap<string, Payment> = new Map(),
): Promise<readonly Ordered[]> {
  const ids = rows.map(({ id }) => id)
  const holds = await readOpenHolds(tx, ids)
  const tamperings: Tampering[] = []
  const ordered = rows.map((row): Ordered => {
    const hold = holds.get(row.id)
    const payment = payments.get(row.id)
    const withdrawal = hold === undefined ? row : asOrdered(methods, row, hold, payment)
    const error = findError(row, withdrawal, hold, payment)
    if (error !== undefined) {
      tamperings.push({ subject: `withdrawal ${row.id}`, detail: `${error}. ${remedy}` })
    }
    return { withdrawal, isHeld: hold !== undefined }
  })
  await noteTamperings(tx, tamperings)
  return ordered
}

const remedy =
  'Before payouts resume, find out who changed the database, and restore the row as it was ordered'

/**
 * Returns a withdrawal with the values of its hold and of its payment. A payment that does not add up to the
 * hold is not used, because the row of its outgoing transaction was changed.
 */
function asOrdered(
  methods: PaymentMethods,
  row: Withdrawal,
  { merchantId, asset, amountMinor, isRetaken }: OpenHold,
  payment: Payment | undefined,
): Withdrawal {
  const held = { ...row, merchantId, asset, amountMinor, isRetaken }
  const paymentMethodId = methods.byAsset(asset)?.id ?? row.paymentMethodId
  if (payment === undefined || !addsUp(payment, amountMinor)) {
    return { ...held, paymentMethodId, feeMinor: min(row.feeMinor, amountMinor) }
  }
  const { address, feeMinor } = payment
  // A restored order may have lost its invoice to another order.
  const invoiceId = row.invoiceId === payment.invoiceId ? row.invoiceId : undefined
  return { ...held, paymentMethodId, address, feeMinor, invoiceId }
}

function addsUp({ netMinor, feeMinor }: Payment, amountMinor: bigint): boolean {
  return netMinor + feeMinor === amountMinor
}

/** Returns what is wrong with a row or with the payment of its outgoing transaction; undefined if nothing is. */
function findError(
  row: Withdrawal,
  ordered: Withdrawal,
  hold: OpenHold | undefined,
  payment: Payment | undefined,
): string | undefined {
  const { id } = row
  if (hold === undefined) return `no journal holds the money of withdrawal ${id}, which has now ended`
  const changed = orderedFields.filter((field) => row[field] !== ordered[field])
  if (changed.length > 0) {
    const values = changed.map((field) => `${field} is ${row[field]} instead of ${ordered[field]}`)
    return `withdrawal ${id} is not as it was ordered: ${values.join(', ')}`
  }
  if (payment !== undefined && !addsUp(payment, hold.amountMinor)) {
    return `the outgoing transaction of withdrawal ${id} does not pay the amount that was ordered`
  }
  return undefined
}

const orderedFields = [
  'merchantId',
  'paymentMethodId',
  'asset',
  'address',
  'amountMinor',
  'feeMinor',
  'invoiceId',
  'isRetaken',
] as const
