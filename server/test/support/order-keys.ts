/** The key that signs orders in tests, and its verifier. */
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

/** The fields of a payment that a test states. */
export type PaymentDraft = Omit<Payment, 'mac' | 'orderSignature' | 'invoiceId'> &
  Partial<Pick<Payment, 'orderSignature' | 'invoiceId'>>

/** Returns a payment as ordered and approved, with the signature of its order and the MAC over both. */
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
