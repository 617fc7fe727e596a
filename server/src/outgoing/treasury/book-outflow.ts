/** Lets an operator book the payments of outflows, and undo such a booking. */
import { fail } from '../../core/errors.ts'
import { credit, debit, type Journal, journal } from '../../ledger/journal.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { postWithReceivable } from '../../ledger/receivable.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { outflowSubject, undoBooking } from '../engine/recovery/forget-outflow.ts'
import {
  lockOutflowPayment,
  type OutflowPayment,
  saveBooked,
  saveUnbooked,
} from '../engine/recovery/outflow-store.ts'
import { requireMerchant } from './attribute-money.ts'

export interface BookOutflowParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export interface BookOutflowParams {
  /** The id of the payment, as `coffer payouts list` shows it. */
  readonly paymentId: string
  /** The merchant whose lost order the payment paid. Undefined if the operator bears the loss. */
  readonly merchantId: string | undefined
  /** The operator's reason, for the audit log. */
  readonly reason: string
}

export interface BookedOutflow {
  readonly payment: OutflowPayment
  readonly merchantName: string | undefined
  /** Whether a journal was posted. None is posted if the asset is not accepted, because the books never had it. */
  readonly isPosted: boolean
}

/**
 * Books a payment that left our wallets and whose order the database does not have. Charges the merchant that had
 * ordered it, or the operator's capital. What the merchant lacks becomes a negative balance. No fee is charged, because the
 * fee of the lost order is not known.
 * @throws Problem not-found, invalid-request, already-attributed
 */
export function bookOutflow(
  { db, methods }: BookOutflowParts,
  { paymentId, merchantId, reason }: BookOutflowParams,
): Promise<BookedOutflow> {
  return inTransaction(db, async (tx) => {
    const payment = await lockPayment(tx, paymentId)
    if (payment.bookedAt !== undefined)
      throw fail(
        'already-attributed',
        'The payment is already booked. To change that, undo the booking first.',
      )
    const merchant = merchantId === undefined ? undefined : await requireMerchant(tx, merchantId)
    const method = methodOf(methods, payment)
    if (method !== undefined) {
      // An order of the operator's own money must not be accepted against money that this booking takes away.
      await lockOwnMoney(tx, method.asset)
      await postWithReceivable(tx, outflowJournal(payment, method, merchantId))
    }
    await saveBooked(tx, paymentId)
    const { network, txHash, recipient, amountMinor } = payment
    const asset = method?.asset ?? `${network}/${payment.contract}`
    await recordAudit(tx, {
      ...(merchantId !== undefined && { merchantId }),
      action: 'payouts.outflow_booked',
      subject: paymentId,
      details: {
        reason,
        to: merchantId === undefined ? 'capital' : 'merchant',
        asset,
        amountMinor: amountMinor.toString(),
        txHash,
        ...(recipient !== undefined && { recipient }),
        isPosted: method !== undefined,
      },
    })
    return { payment, merchantName: merchant?.name, isPosted: method !== undefined }
  })
}

/**
 * Undoes the booking of a payment, for example because the wrong merchant was charged. The network then waits until the
 * payment is booked again.
 * @throws Problem not-found
 */
export function unbookOutflow(
  { db }: Pick<BookOutflowParts, 'db'>,
  { paymentId, reason }: Pick<BookOutflowParams, 'paymentId' | 'reason'>,
): Promise<OutflowPayment> {
  return inTransaction(db, async (tx) => {
    const payment = await lockPayment(tx, paymentId)
    if (payment.bookedAt === undefined) throw fail('not-found', 'The payment is not booked.')
    await undoBooking(tx, payment, { reason })
    await saveUnbooked(tx, paymentId)
    return payment
  })
}

/** Returns the accepted asset of a payment; undefined if the asset is not accepted. */
export function methodOf(
  { all }: PaymentMethods,
  { network, contract }: Pick<OutflowPayment, 'network' | 'contract'>,
): PaymentMethod | undefined {
  return all.find((method) => method.network === network && method.contract === contract)
}

async function lockPayment(tx: Tx, paymentId: string): Promise<OutflowPayment> {
  const payment = await lockOutflowPayment(tx, paymentId)
  if (payment === undefined) throw fail('not-found', 'No payment of an outflow has this id.')
  return payment
}

function outflowJournal(
  { id, bookings, amountMinor }: OutflowPayment,
  { asset }: PaymentMethod,
  merchantId: string | undefined,
): Journal {
  const subject = outflowSubject({ id, bookings: bookings + 1 })
  const custody = credit({ name: 'custody', asset }, amountMinor)
  if (merchantId === undefined) {
    const lines = [debit({ name: 'capital', asset }, amountMinor), custody]
    return journal({ kind: 'outflow.capital', subject, lines })
  }
  const lines = [debit({ name: 'available', ownerId: merchantId, asset }, amountMinor), custody]
  return journal({ kind: 'outflow.merchant', subject, lines })
}
