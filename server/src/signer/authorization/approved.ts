import type { KeyObject } from 'node:crypto'
import type { Payment } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { isOrdered } from '../../signing/ordered.ts'
import { isApproved } from '../../signing/payment-mac.ts'
import { Refusal } from './refusal.ts'

export interface ApprovalKeys {
  readonly intentKey: KeyObject
  /** Verifies orders with the public keys that the signer was started with. */
  readonly orders: OrderVerifier
}

/**
 * Checks that two processes agreed to a payment. The process that accepted the order signed it. The process
 * that approved the payment made its MAC.
 * @throws Refusal `not-approved` if the signature or the MAC does not match.
 */
export function requireApproved(
  { intentKey, orders }: ApprovalKeys,
  network: string,
  payment: Payment,
): void {
  const { withdrawalId } = payment
  if (!isApproved(intentKey, network, payment))
    throw new Refusal('not-approved', `Withdrawal ${withdrawalId} differs from what was approved`)
  if (!isOrdered(orders, network, payment))
    throw new Refusal('not-approved', `Withdrawal ${withdrawalId} differs from what was ordered`)
}
