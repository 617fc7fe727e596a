/** Decides the phase of the payment page, on which the page's texts depend. The functions are pure. */
import type { InvoiceException, InvoiceState, InvoiceType } from '../payments/invoices/invoice.ts'

/** A payment as the page shows it to the payer. */
export interface CheckoutPayment {
  readonly txHash: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** Undefined while no canonical block contains the payment. */
  readonly confirmations: number | undefined
  readonly confirmationsNeeded: number
  /** Whether the payment was ever in a block. A reorganisation may have dropped that block. */
  readonly wasIncluded: boolean
  /**
   * Whether another transaction spends the same money, or the payment was in no mempool and in no block for
   * `checkoutGoneMinutes`.
   */
  readonly isGone: boolean
  /**
   * Whether the payment was first seen within the last hour. If so, it may be the payment of the person who
   * is viewing the page.
   */
  readonly isRecent: boolean
  /** Whether the payment came on a network that the invoice does not offer. Such a payment pays nothing. */
  readonly isWrongNetwork: boolean
}

/**
 * The stage of a claim. In a claim, the payee of a `withdraw` invoice enters an address to which the money is
 * sent.
 */
export type ClaimStage = 'open' | 'paying' | 'paid' | 'over'

/** Everything that decides the phase of the page. */
export interface Situation {
  readonly type: InvoiceType
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /** Whether a payer may still be asked to send money. */
  readonly isPayable: boolean
  /** `open` while the promised price is valid, then `over`; undefined while no payment method is chosen. */
  readonly price: 'open' | 'over' | undefined
  /** The payments that the page may list and that are not on the wrong network, newest first. */
  readonly shownPayments: readonly CheckoutPayment[]
  /** Whether a block contains a payment that counts towards the invoice. */
  readonly hasReceived: boolean
  /**
   * The contribution of the payments that are not in a block yet. `part`: more money is needed. `enough`:
   * together with the received payments, they pay the invoice. `late`: all of them were sent after the
   * invoice expired or was closed.
   */
  readonly coming: 'nothing' | 'part' | 'enough' | 'late'
  readonly claim: ClaimStage | undefined
}

/**
 * The phase of the page.
 *
 * While the invoice can be paid:
 * - `part-seen`: payments that are not in a block yet cover only a part, and the page asks for the remainder.
 * - `seen`: a payment is not in a block yet, and nothing else is due.
 * - `dropped`: a reorg dropped the payment's block, and the payment waits for another block.
 * - `confirming`: the payment is in a block, and the merchant waits for more blocks.
 * - `renew`: the promised price has expired.
 *
 * After the invoice has expired or was closed:
 * - `part-over`: payments that are not in a block yet cover only a part.
 * - `short`: less was received than was asked.
 * - `late`: a payment was sent too late.
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

/**
 * Returns the phase of an invoice that has expired or was closed. Payments that were sent in time still
 * count, even if they are not in a block yet.
 */
function overPhase({ exceptions, shownPayments, coming }: Situation): Phase {
  if (coming === 'enough') return seenPhase(shownPayments)
  if (exceptions.includes('late') || coming === 'late') return 'late'
  if (coming === 'part') return 'part-over'
  if (exceptions.includes('underpaid')) return 'short'
  if (shownPayments.some(isWaiting)) return 'seen'
  return shownPayments.some(isConfirming) ? 'confirming' : 'expired'
}

/**
 * Returns the phase of a `onetime` invoice whose payments suffice but are not confirmed yet. In this phase,
 * the payer is not asked for more. Returns undefined in all other cases.
 */
function waitingPhase({ type, shownPayments, exceptions, coming }: Situation): Phase | undefined {
  if (type !== 'onetime' || coming === 'part') return undefined
  if (coming === 'enough') return seenPhase(shownPayments)
  if (exceptions.includes('underpaid')) return undefined
  return shownPayments.some(isConfirming) ? 'confirming' : undefined
}

function seenPhase(shownPayments: readonly CheckoutPayment[]): Phase {
  return shownPayments.some((payment) => isWaiting(payment) && payment.wasIncluded) ? 'dropped' : 'seen'
}

function payingPhase({ type, hasReceived, coming }: Situation, price: 'open' | 'over'): Phase {
  if (price === 'over') return 'renew'
  if (type !== 'onetime') return 'pay'
  if (coming === 'part') return 'part-seen'
  return hasReceived ? 'partial' : 'pay'
}

function isWaiting({ state, confirmations, isGone }: CheckoutPayment): boolean {
  return state === 'pending' && confirmations === undefined && !isGone
}

function isConfirming({ state, confirmations }: CheckoutPayment): boolean {
  return state === 'pending' && confirmations !== undefined
}
