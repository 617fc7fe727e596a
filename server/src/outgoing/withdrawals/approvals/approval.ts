/** Whether a queued order may go out. Everything here is pure. */

import { divide, rateDecimals, usdDecimals } from '../../../core/money.ts'
import type { Verdict } from '../../../payments/screening/verdict.ts'
import type { WaitCause, Withdrawal } from '../withdrawal.ts'
import { plus, type SumUsd } from './day-sums.ts'

/** What is known of a queued order. */
export interface Weighed {
  readonly withdrawal: Withdrawal
  readonly owes: boolean
  readonly isCovered: boolean
  readonly isSealed: boolean
}

export interface ApprovalRule {
  /** Above this worth an operator must agree, in 10^-8 USD; undefined where nobody is asked. */
  readonly aboveUsd: bigint | undefined
  /** What was approved within a day for its merchant or to its destination, whichever is more. */
  readonly daySumUsd: SumUsd
  /** In 10^-12 USD per whole unit; undefined without a fresh price. */
  readonly priceUsd: bigint | undefined
  readonly assetDecimals: number
}

export type Decision =
  | { readonly type: 'approve' }
  /** Without a cause it is a matter of a moment. */
  | { readonly type: 'wait'; readonly cause: WaitCause | undefined }
  | { readonly type: 'refuse' }

/** Why an order waits before anybody outside is asked about it; undefined where it does not. */
export function waitBeforeScreening({ owes, isCovered, isSealed }: Weighed): Decision | undefined {
  if (owes) return wait('debt')
  if (!isCovered) return wait('funds')
  return isSealed ? undefined : wait(undefined)
}

/** What becomes of an order now. Many small ones need an operator's word as one large one does. */
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

/** In 10^-8 USD, rounded up; undefined without a price. */
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
