import type { InvoiceException, InvoiceState, InvoiceType } from '../payments/invoices/invoice.ts'

/** One payment as its payer sees it. */
export interface Arrival {
  readonly txHash: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** Undefined while no canonical block holds it. */
  readonly confirmations: number | undefined
  readonly confirmationsNeeded: number
  /** It was in a block that its chain has dropped. */
  readonly wasIncluded: boolean
  /** Another transaction spends the same money, or nothing has held this one for long. */
  readonly isGone: boolean
  /** Of this moment, for whoever just paid. */
  readonly isRecent: boolean
}

/** Where the claim of a withdraw invoice is. */
export type ClaimStage = 'open' | 'paying' | 'paid' | 'over'

/** What decides what the page says. */
export interface Situation {
  readonly type: InvoiceType
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /** Whether a payer may still be told to send something. */
  readonly isPayable: boolean
  /** Undefined while no method is chosen. */
  readonly price: 'open' | 'over' | undefined
  /** The newest first. */
  readonly arrivals: readonly Arrival[]
  /** Whether something has come in that counts. */
  readonly hasReceived: boolean
  /**
   * What is on its way and counts: `enough` where it pays the invoice, with what has come in; `late` where all of it was
   * sent after the end.
   */
  readonly coming: 'nothing' | 'part' | 'enough' | 'late'
  readonly claim: ClaimStage | undefined
}

/**
 * What the page is about. part-seen: less than is due waits for its block, and the rest is asked for. seen: a payment
 * waits for its block, and nothing is due beside it. dropped: its block left the chain, it waits for another.
 * confirming: in a block, and its merchant waits for more. renew: the price promised is over. part-over: over, and less
 * than is due waits for its block. short: over, and less came than was asked. late: over, and something was sent afterwards.
 */
export type Phase =
  | 'choose'
  | 'pay'
  | 'partial'
  | 'part-seen'
  | 'renew'
  | 'seen'
  | 'dropped'
  | 'confirming'
  | 'paid'
  | 'part-over'
  | 'short'
  | 'late'
  | 'expired'
  | 'claim-open'
  | 'claim-paying'
  | 'claim-paid'
  | 'claim-over'

export function phaseOf(situation: Situation): Phase {
  const { claim, state, isPayable, price } = situation
  if (claim !== undefined) return `claim-${claim}`
  if (state === 'paid' && !isPayable) return 'paid'
  if (state === 'expired' || !isPayable) return overPhase(situation)
  return waitingPhase(situation) ?? (price === undefined ? 'choose' : payingPhase(situation, price))
}

/** What was sent in time counts also now, be it in no block yet. */
function overPhase({ exceptions, arrivals, coming }: Situation): Phase {
  if (coming === 'enough') return seenPhase(arrivals)
  if (exceptions.includes('late') || coming === 'late') return 'late'
  if (coming === 'part') return 'part-over'
  if (exceptions.includes('underpaid')) return 'short'
  if (arrivals.some(isWaiting)) return 'seen'
  return arrivals.some(isConfirming) ? 'confirming' : 'expired'
}

/** Enough is on its way: its payer is not asked for more. Where payments add up without an end, more may come. */
function waitingPhase({ type, arrivals, exceptions, coming }: Situation): Phase | undefined {
  if (type !== 'onetime' || coming === 'part') return undefined
  if (coming === 'enough') return seenPhase(arrivals)
  if (exceptions.includes('underpaid')) return undefined
  return arrivals.some(isConfirming) ? 'confirming' : undefined
}

function seenPhase(arrivals: readonly Arrival[]): Phase {
  return arrivals.some((arrival) => isWaiting(arrival) && arrival.wasIncluded) ? 'dropped' : 'seen'
}

function payingPhase({ type, hasReceived, coming }: Situation, price: 'open' | 'over'): Phase {
  if (price === 'over') return 'renew'
  if (type !== 'onetime') return 'pay'
  if (coming === 'part') return 'part-seen'
  return hasReceived ? 'partial' : 'pay'
}

function isWaiting({ state, confirmations, isGone }: Arrival): boolean {
  return state === 'pending' && confirmations === undefined && !isGone
}

function isConfirming({ state, confirmations }: Arrival): boolean {
  return state === 'pending' && confirmations !== undefined
}
