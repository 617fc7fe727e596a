import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Payment } from './intent.ts'

/** The MAC of a payment on a network, in hex. */
export function paymentMac(key: KeyObject, network: string, payment: Omit<Payment, 'mac'>): string {
  return createHmac('sha256', key).update(canonicalPayment(network, payment)).digest('hex')
}

/** Whether a payment is as it was approved; takes the same time whatever differs. */
export function isApproved(key: KeyObject, network: string, payment: Payment): boolean {
  const given = Buffer.from(payment.mac, 'hex')
  const right = Buffer.from(paymentMac(key, network, payment), 'hex')
  return given.length === right.length && timingSafeEqual(given, right)
}

/** JSON of an array of strings and nulls, which no two payments share. */
function canonicalPayment(network: string, payment: Omit<Payment, 'mac'>): string {
  const { withdrawalId, merchantId, asset, contract, address, netMinor, feeMinor } = payment
  const fields = [withdrawalId, merchantId, asset, contract, address, String(netMinor), String(feeMinor)]
  const { invoiceId, orderSignature } = payment
  return JSON.stringify(['coffer/intent/payment/2', network, ...fields, invoiceId, orderSignature])
}
