import type { Payment } from './intent.ts'
import type { Order, OrderVerifier } from './order-signature.ts'

/**
 * Decides whether a payment's order signature is valid: it must cover the payment's amount, recipient and all
 * other fields of the order.
 */
export function isOrdered(orders: OrderVerifier, network: string, payment: Omit<Payment, 'mac'>): boolean {
  return orders.verify(network, orderOf(payment), payment.orderSignature)
}

/** Returns the order that a payment pays according to its own fields. */
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
