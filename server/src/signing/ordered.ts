import type { Payment } from './intent.ts'
import type { Order, OrderVerifier } from './order-signature.ts'

/** Whether a payment pays what was ordered, to whom it was ordered: by the signature that it carries. */
export function isOrdered(orders: OrderVerifier, network: string, payment: Omit<Payment, 'mac'>): boolean {
  return orders.verify(network, orderOf(payment), payment.orderSignature)
}

/** The order that a payment says it pays. */
export function orderOf(payment: Omit<Payment, 'mac' | 'orderSignature'>): Order {
  const { withdrawalId, merchantId, asset, contract, address, netMinor, feeMinor, invoiceId } = payment
  return {
    id: withdrawalId,
    merchantId,
    asset,
    contract,
    address,
    amountMinor: netMinor + feeMinor,
    feeMinor,
    invoiceId,
  }
}
