/** Makes the MAC of a payment when the payment is approved, and verifies it before the payment is signed. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Payment } from './intent.ts'

/** Returns the MAC of a payment on a network, in hex. */
export function paymentMac(key: KeyObject, network: string, payment: Omit<Payment, 'mac'>): string {
  return createHmac('sha256', key).update(canonicalPayment(network, payment)).digest('hex')
}

/**
 * Decides by the MAC of a payment whether the payment is unchanged since its approval. The comparison takes
 * constant time.
 */
export function isApproved(key: KeyObject, network: string, payment: Payment): boolean {
  const given = Buffer.from(payment.mac, 'hex')
  const right = Buffer.from(paymentMac(key, network, payment), 'hex')
  return given.length === right.length && timingSafeEqual(given, right)
}

/**
 * Returns the canonical form of a payment: a JSON array of strings and nulls. Two different payments never
 * have the same form.
 */
function canonicalPayment(network: string, payment: Omit<Payment, 'mac'>): string {
  const { withdrawalId, merchantId, asset, contract, address, netMinor, feeMinor } = payment
  const fields = [withdrawalId, merchantId, asset, contract, address, String(netMinor), String(feeMinor)]
  const { invoiceId, orderSignature } = payment
  return JSON.stringify(['coffer/intent/payment/2', network, ...fields, invoiceId, orderSignature])
}
