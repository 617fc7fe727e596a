import { required } from '../../../core/assert.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { OrderVerifier } from '../../../signing/order-signature.ts'
import { orderOf as orderOfPayment } from '../../../signing/ordered.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { readOrderHolds } from './hold-store.ts'
import { orderOf } from './order-of.ts'
import { type Claim, faultOfOrder } from './wanted.ts'

type Signed = Omit<Claim, 'hold'>

/**
 * Which stored orders of a network are not what was signed, or have no hold that stands, by their ids. They must be locked:
 * one that is cancelled meanwhile would look like one that was forged.
 */
export function findOrderFaults(
  { methods, orders }: { readonly methods: PaymentMethods; readonly orders: OrderVerifier },
  on: Queryable,
  network: string,
  withdrawals: readonly Withdrawal[],
): Promise<ReadonlyMap<string, string>> {
  return findFaults(
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

/** The same of payments, by what they say of themselves; the ids are those of the withdrawals. */
export function findPaymentFaults(
  orders: OrderVerifier,
  on: Queryable,
  network: string,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, string>> {
  return findFaults(
    on,
    payments.map((payment) => {
      const order = orderOfPayment(payment)
      // Of before orders were signed, where nothing was ever checked that the type says.
      const { orderSignature = '' } = payment as Partial<Payment>
      return { order, isSigned: orders.verify(network, order, orderSignature), isReleaseForged: false }
    }),
  )
}

async function findFaults(on: Queryable, signed: readonly Signed[]): Promise<ReadonlyMap<string, string>> {
  const holds = await readOrderHolds(
    on,
    signed.map(({ order }) => order.id),
  )
  const faults = signed.map((one): [string, string | undefined] => [
    one.order.id,
    faultOfOrder({ ...one, hold: holds.get(one.order.id) }),
  ])
  return new Map(faults.filter((one): one is [string, string] => one[1] !== undefined))
}
