/**
 * Reads what was ordered. Somebody who can write to the database may have changed the row of an order since
 * the order was checked. What is done with an order is therefore based on its hold and on its signed payment.
 */
import type { KeyObject } from 'node:crypto'
import { required } from '../../../core/assert.ts'
import { min } from '../../../core/money.ts'
import { noteTamperings, type Tampering } from '../../../platform/audit/tampering-store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { OrderVerifier } from '../../../signing/order-signature.ts'
import { isOrdered } from '../../../signing/ordered.ts'
import { isApproved } from '../../../signing/payment-mac.ts'
import { findOwnClaims } from '../claims/own-claim-store.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { type HeldMoney, type OpenHold, readHeldMoney } from './held-money.ts'
import { orderOf } from './order-of.ts'
import { remedy } from './remedy.ts'

export interface OrderedParts {
  readonly methods: PaymentMethods
  /** Undefined if the caller has no public keys of orders. */
  readonly orders?: OrderVerifier | undefined
  /** The key of the MACs of payments. Undefined if the caller does not have the key. */
  readonly intentKey?: KeyObject | undefined
}

export interface Ordered {
  /** The withdrawal as it was ordered. */
  readonly withdrawal: Withdrawal
  /** Whether the books hold its amount. Only an open hold can be released. */
  readonly money: HeldMoney['type']
}

/**
 * Returns locked withdrawals as they were ordered. Records each row that differs as tampering, so that
 * payouts halt. The row itself stays unchanged.
 * @param payments the payments of the outgoing transactions, by withdrawal id
 */
export async function readAsOrdered(
  parts: OrderedParts,
  tx: Tx,
  rows: readonly Withdrawal[],
  payments: ReadonlyMap<string, Payment> = new Map(),
): Promise<readonly Ordered[]> {
  const ids = rows.map(({ id }) => id)
  const held = await readHeldMoney(tx, ids)
  const ownClaims = await findOwnClaims(
    tx,
    rows.flatMap((row) => lostClaimOf(parts, row, payments.get(row.id))),
  )
  const read = rows.map((row) => {
    const payment = payments.get(row.id)
    const invoiceId =
      payment?.invoiceId === row.invoiceId || ownClaims.has(row.id) ? payment?.invoiceId : undefined
    const paid = payment && { payment, invoiceId: invoiceId ?? undefined }
    return readRow(parts, row, required(held.get(row.id), 'the held money of a withdrawal'), paid)
  })
  await noteTamperings(
    tx,
    read.flatMap(({ tamperings }) => tamperings),
  )
  return read.map(({ ordered }) => ordered)
}

/**
 * Returns the invoice for which a withdrawal was ordered, if the row does not name it. A withdrawal whose money
 * was held again may have lost its invoice to another one.
 */
function lostClaimOf(
  parts: OrderedParts,
  { id, invoiceId, isRetaken }: Withdrawal,
  payment: Payment | undefined,
): readonly { readonly id: string; readonly invoiceId: string }[] {
  const ordered = payment?.invoiceId ?? undefined
  if (payment === undefined || ordered === undefined || ordered === invoiceId) return []
  if (isRetaken && invoiceId === undefined) return []
  return isGenuine(parts, payment) ? [{ id, invoiceId: ordered }] : []
}

/** A payment, and the invoice that it settles. A restored order may have lost its invoice to another order. */
interface Paid {
  readonly payment: Payment
  readonly invoiceId: string | undefined
}

interface ReadRow {
  readonly ordered: Ordered
  readonly tamperings: readonly Tampering[]
}

function readRow(parts: OrderedParts, row: Withdrawal, money: HeldMoney, paid: Paid | undefined): ReadRow {
  switch (money.type) {
    case 'open':
      return readHeld(parts, row, money, paid)
    case 'ended': {
      if (row.status.state === money.outcome) {
        return { ordered: { withdrawal: row, money: 'ended' }, tamperings: [] }
      }
      const withdrawal = { ...row, status: { state: money.outcome, stage: undefined } }
      const detail = `withdrawal ${row.id} is ${row.status.state} in its row, but the books show that it is ${money.outcome}`
      return {
        ordered: { withdrawal, money: 'ended' },
        tamperings: [tampering('state of ended withdrawal', row, detail)],
      }
    }
    case 'unreadable': {
      const detail = `journal ${money.subject} has no valid MAC, so it is not known whether the money of withdrawal ${row.id} is held`
      if (money.isEnded || paid === undefined || !isGenuine(parts, paid.payment)) {
        const tamperings = [tampering('hold of withdrawal', row, `${detail}, and its end is not booked`)]
        return { ordered: { withdrawal: withKnownMethod(parts, row, paid), money: 'unreadable' }, tamperings }
      }
      const tamperings = [tampering('hold of withdrawal', row, detail)]
      const { merchantId, asset, netMinor, feeMinor } = paid.payment
      const hold = { merchantId, asset, amountMinor: netMinor + feeMinor, isRetaken: money.isRetaken }
      const read = readHeld(parts, row, { type: 'open', ...hold }, paid)
      return { ...read, tamperings: [...tamperings, ...read.tamperings] }
    }
    case 'none': {
      const detail = `no journal ever held the money of withdrawal ${row.id}`
      const ordered = { withdrawal: withKnownMethod(parts, row, paid), money: 'none' } as const
      return { ordered, tamperings: [tampering('missing hold of withdrawal', row, detail)] }
    }
  }
}

/** Returns a withdrawal with a payment method that exists, so that its end can be reported. */
function withKnownMethod({ methods }: OrderedParts, row: Withdrawal, paid: Paid | undefined): Withdrawal {
  const paymentMethodId = methods.byAsset(paid?.payment.asset ?? row.asset)?.id ?? row.paymentMethodId
  return { ...row, paymentMethodId }
}

/** Reads a withdrawal whose money is held. Its merchant, asset and amount are those of the hold. */
function readHeld(parts: OrderedParts, row: Withdrawal, hold: OpenHold, paid: Paid | undefined): ReadRow {
  const { merchantId, asset, amountMinor, isRetaken } = hold
  const isPending = row.status.state === 'pending'
  const held: Withdrawal = {
    ...row,
    merchantId,
    asset,
    amountMinor,
    isRetaken,
    paymentMethodId: parts.methods.byAsset(asset)?.id ?? row.paymentMethodId,
    feeMinor: min(row.feeMinor, amountMinor),
    // The outgoing transaction moves the withdrawal on from this stage.
    status: isPending ? row.status : { state: 'pending', stage: 'planned' },
  }
  const { withdrawal, paymentError } = chooseOrdered(parts, held, paid)
  const tamperings: Tampering[] = []
  const changed = orderedFields.filter((field) => row[field] !== withdrawal[field])
  if (changed.length > 0) {
    const values = changed.map((field) => `${field} is ${row[field]} instead of ${withdrawal[field]}`)
    const detail = `withdrawal ${row.id} is not as it was ordered: ${values.join(', ')}`
    tamperings.push(tampering('withdrawal', row, detail))
  }
  if (!isPending) {
    const detail = `withdrawal ${row.id} is ${row.status.state} in its row, but the books still hold its money`
    tamperings.push(tampering('state of withdrawal', row, detail))
  }
  if (paymentError !== undefined) tamperings.push(tampering('payment of withdrawal', row, paymentError))
  return { ordered: { withdrawal, money: 'open' }, tamperings }
}

/**
 * Chooses between a row and the payment of its outgoing transaction if they differ. The payment is chosen if
 * its order signature or its MAC is valid. Otherwise, the row is chosen.
 */
function chooseOrdered(
  parts: OrderedParts,
  held: Withdrawal,
  paid: Paid | undefined,
): { readonly withdrawal: Withdrawal; readonly paymentError?: string } {
  if (paid === undefined) return { withdrawal: held }
  const { payment, invoiceId } = paid
  const { address, netMinor, feeMinor } = payment
  const ordered = { ...held, address, feeMinor, invoiceId }
  const isOfHold =
    isWellFormed(payment) &&
    payment.merchantId === held.merchantId &&
    payment.asset === held.asset &&
    netMinor + feeMinor === held.amountMinor
  const changed = paidFields.filter((field) => held[field] !== ordered[field])
  if (isOfHold && (changed.length === 0 || isGenuine(parts, payment))) return { withdrawal: ordered }
  const inPayment = `the payment in the stored transaction of withdrawal ${held.id}`
  const error = isSigned(parts, held)
    ? `${inPayment} is not the one that was ordered`
    : `${inPayment} differs from the withdrawal, and neither of them can be verified`
  return { withdrawal: held, paymentError: `${error}: ${differences(held, payment)}` }
}

function differences(held: Withdrawal, payment: Payment): string {
  const { merchantId, asset, address, netMinor, feeMinor, invoiceId } = payment
  const paid = {
    merchantId,
    asset,
    address,
    amountMinor: isWellFormed(payment) ? netMinor + feeMinor : undefined,
    feeMinor,
    invoiceId: invoiceId ?? undefined,
  }
  const fields = (Object.keys(paid) as (keyof typeof paid)[]).filter((field) => paid[field] !== held[field])
  return fields.map((field) => `${field} is ${paid[field]} instead of ${held[field]}`).join(', ')
}

/** Decides whether a payment is one that was ordered or approved. */
export function isGenuine({ methods, orders, intentKey }: OrderedParts, payment: Payment): boolean {
  const network = methods.byAsset(payment.asset)?.network
  if (network === undefined || !isWellFormed(payment)) return false
  // Payments from the time before orders were signed lack the field.
  const { orderSignature = '' } = payment as Partial<Payment>
  if (orders !== undefined && isOrdered(orders, network, { ...payment, orderSignature })) return true
  return intentKey !== undefined && isApproved(intentKey, network, payment)
}

/** Decides whether a stored payment has amounts and a MAC. Stored intents are not checked against the type. */
function isWellFormed({ netMinor, feeMinor, mac }: Payment): boolean {
  return typeof netMinor === 'bigint' && typeof feeMinor === 'bigint' && typeof mac === 'string'
}

function isSigned({ methods, orders }: OrderedParts, withdrawal: Withdrawal): boolean {
  const method = methods.byId(withdrawal.paymentMethodId)
  if (method === undefined || orders === undefined) return false
  return orders.verify(method.network, orderOf(withdrawal, method), withdrawal.orderSignature ?? '')
}

function tampering(what: string, { id }: Withdrawal, detail: string): Tampering {
  return { subject: `${what} ${id}`, detail: `${detail}. ${remedy}` }
}

const paidFields = ['address', 'feeMinor', 'invoiceId'] as const

const orderedFields = [
  'merchantId',
  'paymentMethodId',
  'asset',
  'amountMinor',
  'isRetaken',
  ...paidFields,
] as const
