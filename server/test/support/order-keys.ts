/** The key of orders that tests sign with, and what checks it. */
import type { Payment } from '../../src/signing/intent.ts'
import {
  type OrderSigner,
  orderPublicKey,
  orderSigner,
  orderVerifier,
} from '../../src/signing/order-signature.ts'
import { orderOf } from '../../src/signing/ordered.ts'
import { paymentMac } from '../../src/signing/payment-mac.ts'

export const orderSeed: Buffer = Buffer.alloc(32, 0x5e)
export const testOrderSigner: OrderSigner = orderSigner(orderSeed)
export const testOrderVerifier = orderVerifier([orderPublicKey(orderSeed)])

/** What a test says of a payment. */
export type PaymentDraft = Omit<Payment, 'mac' | 'orderSignature' | 'invoiceId'> &
  Partial<Pick<Payment, 'orderSignature' | 'invoiceId'>>

/** A payment as it was ordered and approved: with the signature of its order, and the MAC over both. */
export function approved(
  intentKey: Parameters<typeof paymentMac>[0],
  network: string,
  draft: PaymentDraft,
  orders: OrderSigner = testOrderSigner,
): Payment {
  const order = { ...draft, invoiceId: draft.invoiceId ?? null }
  const orderSignature = draft.orderSignature ?? orders.sign(network, orderOf(order))
  const payment = { ...order, orderSignature }
  return { ...payment, mac: paymentMac(intentKey, network, payment) }
}
