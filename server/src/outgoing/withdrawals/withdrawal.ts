import { parseDecimal } from '../../core/money.ts'

export const withdrawalStates = ['pending', 'completed', 'failed', 'cancelled'] as const
export type WithdrawalState = (typeof withdrawalStates)[number]

/** How far a pending withdrawal has come. `in_doubt`: sent, and no node says what became of it. */
export const withdrawalStages = ['queued', 'approved', 'planned', 'signed', 'broadcast', 'in_doubt'] as const
export type WithdrawalStage = (typeof withdrawalStages)[number]

/** How a withdrawal ends; each of them releases its hold, once. */
export type Outcome = Exclude<WithdrawalState, 'pending'>

/**
 * What keeps an order waiting. `debt`: its merchant owes money. `funds`: credits that can still be taken
 * back, or whose money cannot be taken from where it lies. `screening`:
 * nobody can say yet whether its destination is listed. `rate`: without a price nobody can say whether an operator must
 * agree. `operator`: one must. `gas-budget`: it is approved, but within a day its merchant has cost too much in network fees.
 */
export const waitCauses = ['debt', 'funds', 'screening', 'rate', 'operator', 'gas-budget'] as const
export type WaitCause = (typeof waitCauses)[number]

/**
 * Who or what ended an order: its merchant, the payout itself, a deposit that its chain took back, an operator, or a
 * destination that is on a sanctions list.
 */
export const endReasons = ['merchant', 'payout', 'shortfall', 'operator', 'screening'] as const
export type EndReason = (typeof endReasons)[number]

/** A merchant's order to send money away; a hold on it lies in the books until it has ended. */
export interface Withdrawal {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  readonly asset: string
  /** In canonical spelling. */
  readonly address: string
  /** What leaves the merchant's balance: what the recipient gets and the fee, in the asset's smallest unit. */
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly standing: WithdrawalStanding
  /** Only while it is queued or approved, and was looked at. */
  readonly waitsFor: WaitCause | undefined
  /** Whether an operator let it go out, whatever it is worth. */
  readonly isReleased: boolean
  /** Undefined while it is pending, and for one that is completed. */
  readonly endReason: EndReason | undefined
  /** Why it ended, in words for its merchant. */
  readonly endExplanation: string | undefined
  /** The prices by which a failure on chain is charged in a token; undefined where it is not. */
  readonly failurePrices: { readonly coinPriceUsd: bigint; readonly assetPriceUsd: bigint } | undefined
  /** What a failure on chain took from the held amount; undefined where nothing did. */
  readonly networkCostMinor: bigint | undefined
  /** Whether its money was held a second time, since it was found to be signed after it had ended. */
  readonly isRetaken: boolean
  /** The `withdraw` invoice whose claim it pays. */
  readonly invoiceId: string | undefined
  /** By the process that took the order; undefined for orders of before they were signed, and for some that were restored. */
  readonly orderSignature: string | undefined
  /** Of an operator's word that let it go, by the process that took that. */
  readonly releaseSignature: string | undefined
  /** From `broadcast` on: the attempt that was sent last, and once one is in a block, that one. */
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}

export type WithdrawalStanding =
  | { readonly state: 'pending'; readonly stage: WithdrawalStage }
  | { readonly state: Outcome; readonly stage: undefined }

export const firstStanding: WithdrawalStanding = { state: 'pending', stage: 'queued' }

type Step = WithdrawalStage | Outcome

/**
 * Where a pending withdrawal may go. It is cancelled only while nothing is planned. It fails wherever it cannot be
 * proven to have been paid: before anything was signed, or when every attempt is displaced or final and reverted.
 */
const steps: Readonly<Record<WithdrawalStage, readonly Step[]>> = {
  queued: ['approved', 'cancelled', 'failed'],
  approved: ['planned', 'cancelled', 'failed'],
  planned: ['signed', 'failed'],
  signed: ['broadcast', 'in_doubt', 'failed'],
  broadcast: ['in_doubt', 'completed', 'failed'],
  in_doubt: ['broadcast', 'completed', 'failed'],
}

/** The standing after a step; undefined where it may not be taken. */
export function after(standing: WithdrawalStanding, step: Step): WithdrawalStanding | undefined {
  if (standing.state !== 'pending' || !steps[standing.stage].includes(step)) return undefined
  return isStage(step) ? { state: 'pending', stage: step } : { state: step, stage: undefined }
}

/**
 * The standing of a pending withdrawal whose payout has come as far as `stage`, whatever was missed in between; it never
 * goes back, but for finding out that what was in doubt is known to a node.
 */
export function reach(standing: WithdrawalStanding, stage: WithdrawalStage): WithdrawalStanding {
  if (standing.state !== 'pending') return standing
  const isOnward = withdrawalStages.indexOf(stage) > withdrawalStages.indexOf(standing.stage)
  return isOnward || after(standing, stage) !== undefined ? { state: 'pending', stage } : standing
}

/** The stages in which no bytes were signed and no inputs are planned: the money can still be given back at once. */
export const cancellableStages: readonly WithdrawalStage[] = withdrawalStages.filter((stage) =>
  steps[stage].includes('cancelled'),
)

/** What the recipient gets. */
export function netMinor({ amountMinor, feeMinor }: Pick<Withdrawal, 'amountMinor' | 'feeMinor'>): bigint {
  return amountMinor - feeMinor
}

/** Balances are shown and moved in steps of at most so many places. */
const placesMax = 8

/** Reads an amount; or says what it must be. More places than a balance shows are refused, never rounded. */
export function readAmount(
  text: string,
  assetDecimals: number,
): { readonly amountMinor: bigint } | { readonly fault: string } {
  const places = Math.min(placesMax, assetDecimals)
  const amount = parseDecimal(text, places)
  if (amount === undefined) return { fault: `must be a decimal with at most ${places} places` }
  if (amount === 0n) return { fault: 'must be above 0' }
  return { amountMinor: amount * 10n ** BigInt(assetDecimals - places) }
}

function isStage(step: Step): step is WithdrawalStage {
  return (withdrawalStages as readonly Step[]).includes(step)
}
