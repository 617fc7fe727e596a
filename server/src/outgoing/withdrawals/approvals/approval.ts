/** Decides whether a queued order may be sent. Everything here is pure. */

import { divide, rateDecimals, usdDecimals } from '../../../core/money.ts'
import type { Verdict } from '../../../payments/screening/verdict.ts'
import type { WaitCause, Withdrawal } from '../withdrawal.ts'
import { plus, type SumUsd } from './day-sums.ts'

/** A queued order, and the facts that decide whether it may be sent. */
export interface Weighed {
  readonly withdrawal: Withdrawal
  readonly owes: boolean
  readonly isCovered: boolean
  readonly isSealed: boolean
}

export interface ApprovalRule {
  /**
   * An operator must agree to an order that is worth more than this, in 10^-8 USD. Undefined if no order
   * needs an operator.
   */
  readonly aboveUsd: bigint | undefined
  /**
   * The larger of two sums over the last 24 hours: the orders approved for this order's merchant, and the
   * orders approved to this order's destination.
   */
  readonly daySumUsd: SumUsd
  /** The asset's price in 10^-12 USD per whole unit. Undefined if there is no recent price. */
  readonly priceUsd: bigint | undefined
  readonly assetDecimals: number
}

export type Decision =
  | { readonly type: 'approve' }
  /** `cause` is undefined if the wait is short, such as the wait until the hold is sealed. */
  | { readonly type: 'wait'; readonly cause: WaitCause | undefined }
  | { readonly type: 'refuse' }

/**
 * Returns the decision to wait in three cases: the merchant owes money, the merchant's money does not cover
 * the order, or the order's hold is not sealed. Returns undefined if the destination can be screened now.
 */
export function waitBeforeScreening({ owes, isCovered, isSealed }: Weighed): Decision | undefined {
  if (owes) return wait('debt')
  if (!isCovered) return wait('funds')
  return isSealed ? undefined : wait(undefined)
}

/**
 * Decides whether an order is approved, waits or is rejected now. The worth of the order is added to the sum
 * of the last 24 hours. Many small orders therefore need an operator just as one large order does.
 */
export function decide(weighed: Weighed, screening: Verdict, rule: ApprovalRule): Decision {
  const waits = waitBeforeScreening(weighed)
  if (waits !== undefined) return waits
  if (screening === 'listed') return { type: 'refuse' }
  if (screening === 'unknown') return wait('screening')
  const { withdrawal } = weighed
  if (withdrawal.isReleased || rule.aboveUsd === undefined) return { type: 'approve' }
  const sumUsd = plus(worthOf(withdrawal.amountMinor, rule), rule.daySumUsd)
  if (sumUsd === undefined) return wait('rate')
  return sumUsd > rule.aboveUsd ? wait('operator') : { type: 'approve' }
}

/** Returns the worth of an amount in 10^-8 USD, rounded up. Returns undefined if there is no price. */
export function worthOf(
  amountMinor: bigint,
  { priceUsd, assetDecimals }: Pick<ApprovalRule, 'priceUsd' | 'assetDecimals'>,
): bigint | undefined {
  if (priceUsd === undefined) return undefined
  return divide(amountMinor * priceUsd, 10n ** BigInt(assetDecimals + rateDecimals - usdDecimals), 'up')
}

function wait(cause: WaitCause | undefined): Decision {
  return { type: 'wait', cause }
}
