import { parseDecimal } from '../core/money.ts'

export const withdrawalStates = ['pending', 'completed', 'failed', 'cancelled'] as const
export type WithdrawalState = (typeof withdrawalStates)[number]

/** How far a pending withdrawal has come. `in_doubt`: sent, and no node says what became of it. */
export const withdrawalStages = ['queued', 'approved', 'planned', 'signed', 'broadcast', 'in_doubt'] as const
export type WithdrawalStage = (typeof withdrawalStages)[number]

/** How a withdrawal ends; each of them releases its hold, once. */
export type Outcome = Exclude<WithdrawalState, 'pending'>

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
  /** The `withdraw` invoice whose claim it pays. */
  readonly invoiceId: string | undefined
  /** From `broadcast` on. */
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
  signed: ['broadcast', 'failed'],
  broadcast: ['in_doubt', 'completed', 'failed'],
  in_doubt: ['broadcast', 'completed', 'failed'],
}

/** The standing after a step; undefined where it may not be taken. */
export function after(standing: WithdrawalStanding, step: Step): WithdrawalStanding | undefined {
  if (standing.state !== 'pending' || !steps[standing.stage].includes(step)) return undefined
  return isStage(step) ? { state: 'pending', stage: step } : { state: step, stage: undefined }
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
