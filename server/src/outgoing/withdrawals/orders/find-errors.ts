import { required } from '../../../core/assert.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { OrderVerifier } from '../../../signing/order-signature.ts'
import { orderOf as orderOfPayment } from '../../../signing/ordered.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { readOrderHolds } from './hold-store.ts'
import { orderOf } from './order-of.ts'
import { type Claim, errorOfOrder } from './wanted.ts'

type Signed = Omit<Claim, 'hold'>

/**
 * Returns the errors of stored orders of a network, by the id of the order. It is an error if the order is
 * not what was signed, or if the order has no valid hold. The orders must be locked, because an order that is
 * cancelled during the check would appear forged.
 */
export function findOrderErrors(
  { methods, orders }: { readonly methods: PaymentMethods; readonly orders: OrderVerifier },
  on: Queryable,
  network: string,
  withdrawals: readonly Withdrawal[],
): Promise<ReadonlyMap<string, string>> {
  return findErrors(
    on,
    withdrawals.map((withdrawal) => {
      const { orderSignature = '', releaseSignature = '', isReleased, id } = withdrawal
      const method = required(methods.byId(withdrawal.paymentMethodId), 'the method of a withdrawal')
      const order = orderOf(withdrawal, method)
      const isOwn = method.network === network && orders.verify(network, order, orderSignature)
      const isReleaseForged = isReleased && !orders.verifyRelease(id, releaseSignature)
      return { order, isSigned: isOwn, isReleaseForged }
    }),
  )
}

/**
 * Returns the errors of payments, by the id of the withdrawal. It is an error if the order that the payment
 * states was not signed, or if that order has no valid hold.
 */
export function findPaymentErrors(
  orders: OrderVerifier,
  on: Queryable,
  network: string,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, string>> {
  return findErrors(
    on,
    payments.map((payment) => {
      const order = orderOfPayment(payment)
      // Payments from the time before orders were signed lack the field. Stored intents are not checked
      // against the type, so the field is read as optional.
      const { orderSignature = '' } = payment as Partial<Payment>
      return { order, isSigned: orders.verify(network, order, orderSignature), isReleaseForged: false }
    }),
  )
}

async function findErrors(on: Queryable, signed: readonly Signed[]): Promise<ReadonlyMap<string, string>> {
  const holds = await readOrderHolds(
    on,
    signed.map(({ order }) => order.id),
  )
  const errors = signed.map((one): [string, string | undefined] => [
    one.order.id,
    errorOfOrder({ ...one, hold: holds.get(one.order.id) }),
  ])
  return new Map(errors.filter((one): one is [string, string] => one[1] !== undefined))
}
