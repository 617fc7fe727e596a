import { parseDecimal } from '../../core/money.ts'

export const withdrawalStates = ['pending', 'completed', 'failed', 'cancelled'] as const
export type WithdrawalState = (typeof withdrawalStates)[number]

/**
 * The stages of a pending withdrawal. In `needs_recheck`, the transaction was sent, but no node reports what
 * became of it.
 */
export const withdrawalStages = [
  'queued',
  'approved',
  'planned',
  'signed',
  'broadcast',
  'needs_recheck',
] as const
export type WithdrawalStage = (typeof withdrawalStages)[number]

/** The outcomes with which a withdrawal can end. Each outcome releases the hold exactly once. */
export type Outcome = Exclude<WithdrawalState, 'pending'>

/**
 * Why an order waits. `debt`: the merchant has a negative balance. `funds`: the order is not covered, because
 * credits can still be reversed or their money cannot be moved from its address or output. `screening`: it is
 * not known yet whether the destination is listed. `rate`: without a price, it is not known whether an
 * operator must agree. `operator`: an operator must agree. `gas-budget`: the order is approved, but the
 * merchant has caused too much in network fees within 24 hours.
 */
export const waitCauses = ['debt', 'funds', 'screening', 'rate', 'operator', 'gas-budget'] as const
export type WaitCause = (typeof waitCauses)[number]

/**
 * Who or what ended an order: the `merchant`, an `operator`, or the outgoing `transaction`. `shortfall` means
 * that a reorganisation reversed a deposit. `screening` means that the destination is on a sanctions list.
 */
export const endReasons = ['merchant', 'transaction', 'shortfall', 'operator', 'screening'] as const
export type EndReason = (typeof endReasons)[number]

/** A merchant's order to send money. The books keep a hold on its amount until the withdrawal has ended. */
export interface Withdrawal {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  readonly asset: string
  /** The address in canonical form. */
  readonly address: string
  /**
   * The amount that leaves the merchant's balance, in the asset's smallest unit: the amount that the
   * recipient gets, plus the fee.
   */
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly status: WithdrawalStatus
  /** Set only while the order is queued or approved, and only after the order was checked once. */
  readonly waitsFor: WaitCause | undefined
  /** Whether an operator released the order, regardless of its worth. */
  readonly isReleased: boolean
  /** Undefined for pending and for completed withdrawals. */
  readonly endReason: EndReason | undefined
  /** Why the withdrawal ended, in words for the merchant. */
  readonly endExplanation: string | undefined
  /**
   * The prices at which a failure on chain is charged in a token. Undefined for the coin, and for tokens
   * whose failures are not charged.
   */
  readonly failurePrices: { readonly coinPriceUsd: bigint; readonly assetPriceUsd: bigint } | undefined
  /** The part of the hold that a failure on chain took. Undefined if a failure took nothing. */
  readonly networkCostMinor: bigint | undefined
  /**
   * Whether the amount was held a second time, because the withdrawal turned out to be signed after it had
   * ended.
   */
  readonly isRetaken: boolean
  /** The `withdraw` invoice that this withdrawal pays. */
  readonly invoiceId: string | undefined
  /**
   * The signature of the process that accepted the order. Undefined for orders from the time before orders
   * were signed, and for some restored orders.
   */
  readonly orderSignature: string | undefined
  /** The signature of the operator's release, made by the process that accepted the release. */
  readonly releaseSignature: string | undefined
  /**
   * The hash of the attempt that is in a block, or of the attempt that was sent last if none is in a block.
   * Set from `broadcast` on.
   */
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}

export type WithdrawalStatus =
  | { readonly state: 'pending'; readonly stage: WithdrawalStage }
  | { readonly state: Outcome; readonly stage: undefined }

export const initialStatus: WithdrawalStatus = { state: 'pending', stage: 'queued' }

type Step = WithdrawalStage | Outcome

/**
 * The stages and outcomes that may follow each stage of a pending withdrawal. A withdrawal is cancelled only
 * while no transaction is planned. It fails only when it cannot have been paid: nothing was signed, every
 * attempt is conflicted, or an attempt failed on chain in a final block.
 */
const steps: Readonly<Record<WithdrawalStage, readonly Step[]>> = {
  queued: ['approved', 'cancelled', 'failed'],
  approved: ['planned', 'cancelled', 'failed'],
  planned: ['signed', 'failed'],
  signed: ['broadcast', 'needs_recheck', 'failed'],
  broadcast: ['needs_recheck', 'completed', 'failed'],
  needs_recheck: ['broadcast', 'completed', 'failed'],
}

/** Returns the status after a step, or undefined if the step is not allowed. */
export function after(status: WithdrawalStatus, step: Step): WithdrawalStatus | undefined {
  if (status.state !== 'pending' || !steps[status.stage].includes(step)) return undefined
  return isStage(step) ? { state: 'pending', stage: step } : { state: step, stage: undefined }
}

/**
 * Returns the status of a pending withdrawal whose outgoing transaction has reached `stage`. Stages may be
 * skipped. The status never goes back, except from `needs_recheck` to `broadcast` once a node knows the
 * transaction.
 */
export function reach(status: WithdrawalStatus, stage: WithdrawalStage): WithdrawalStatus {
  if (status.state !== 'pending') return status
  const isOnward = withdrawalStages.indexOf(stage) > withdrawalStages.indexOf(status.stage)
  return isOnward || after(status, stage) !== undefined ? { state: 'pending', stage } : status
}

/**
 * The stages in which no transaction is planned and no bytes are signed, so that the money can be returned at
 * once.
 */
export const cancellableStages: readonly WithdrawalStage[] = withdrawalStages.filter((stage) =>
  steps[stage].includes('cancelled'),
)

/** Returns the amount that the recipient gets. */
export function netMinor({ amountMinor, feeMinor }: Pick<Withdrawal, 'amountMinor' | 'feeMinor'>): bigint {
  return amountMinor - feeMinor
}

/** Balances are shown and moved with at most this many decimal places. */
const shownDecimalsMax = 8

/**
 * Returns the amount that a text states, or what is wrong with the text. An amount with more decimal places
 * than a balance shows is rejected, never rounded.
 */
export function readAmount(
  text: string,
  assetDecimals: number,
): { readonly amountMinor: bigint } | { readonly error: string } {
  const shownDecimals = Math.min(shownDecimalsMax, assetDecimals)
  const amount = parseDecimal(text, shownDecimals)
  if (amount === undefined) return { error: `must be a decimal with at most ${shownDecimals} decimal places` }
  if (amount === 0n) return { error: 'must be above 0' }
  return { amountMinor: amount * 10n ** BigInt(assetDecimals - shownDecimals) }
}

function isStage(step: Step): step is WithdrawalStage {
  return (withdrawalStages as readonly Step[]).includes(step)
}
