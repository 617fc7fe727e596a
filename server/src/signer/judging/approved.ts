import type { KeyObject } from 'node:crypto'
import type { Payment } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { isOrdered } from '../../signing/ordered.ts'
import { isApproved } from '../../signing/payment-mac.ts'
import { Refusal } from './refusal.ts'

export interface ApprovalKeys {
  readonly intentKey: KeyObject
  /** By the public keys that the signer was started with. */
  readonly orders: OrderVerifier
}

/**
 * Two processes must have agreed: the one that took the order, by its signature, and the one that approved it, by its MAC.
 * @throws Refusal
 */
export function requireApproved(
  { intentKey, orders }: ApprovalKeys,
  network: string,
  payment: Payment,
): void {
  const { withdrawalId } = payment
  if (!isApproved(intentKey, network, payment))
    throw new Refusal('not-approved', `Withdrawal ${withdrawalId} is not what was approved`)
  if (!isOrdered(orders, network, payment))
    throw new Refusal('not-approved', `Withdrawal ${withdrawalId} is not what was ordered`)
}
