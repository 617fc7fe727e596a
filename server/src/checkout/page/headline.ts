import { networkTitle } from '../../chains/networks.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Texts } from '../languages/en.ts'
import type { Phase } from '../phase.ts'
import type { Checkout } from '../read-checkout.ts'
import { coinAmount } from './wording.ts'

/**
 * The style of the page's heading. `plain`: the page asks a question. `open`: the page waits for the payer.
 * `moving`: a payment is in progress. `good`: the invoice ended well. `over`: it ended in another way.
 */
export type Tone = 'plain' | 'open' | 'moving' | 'good' | 'over'

export interface Headline {
  readonly tone: Tone
  readonly title: keyof Texts
  readonly more?: keyof Texts
}

const headlines: Readonly<Record<Phase, Headline>> = {
  choose: { tone: 'plain', title: 'choose' },
  pay: { tone: 'open', title: 'waiting' },
  partial: { tone: 'open', title: 'partial', more: 'partialMore' },
  'part-seen': { tone: 'open', title: 'partSeen', more: 'partSeenMore' },
  renew: { tone: 'open', title: 'renew', more: 'renewMore' },
  seen: { tone: 'moving', title: 'seen', more: 'seenMore' },
  dropped: { tone: 'moving', title: 'dropped', more: 'droppedMore' },
  confirming: { tone: 'moving', title: 'confirming' },
  paid: { tone: 'good', title: 'paid', more: 'paidMore' },
  'part-over': { tone: 'over', title: 'partOver', more: 'partOverMore' },
  short: { tone: 'over', title: 'short', more: 'shortMore' },
  late: { tone: 'over', title: 'late', more: 'lateMore' },
  expired: { tone: 'over', title: 'expired', more: 'expiredMore' },
  'claim-open': { tone: 'plain', title: 'claimOpen', more: 'claimMore' },
  'claim-paying': { tone: 'moving', title: 'claimPaying', more: 'claimPayingMore' },
  'claim-paid': { tone: 'good', title: 'claimPaid', more: 'claimPaidMore' },
  'claim-over': { tone: 'over', title: 'claimOver' },
}

export function headlineOf(phase: Phase): Headline {
  return headlines[phase]
}

/** Returns the values for the placeholders in a headline's texts. */
export function headlineValues(checkout: Checkout): Readonly<Record<string, string>> {
  const { merchantName, shown, methods } = checkout
  const method = shown?.method ?? methods[0]
  return {
    merchant: merchantName,
    waiting: waitingAmounts(checkout).join(' + '),
    due: shown === undefined ? '' : coinAmount(shown.method, shown.amountMinor),
    symbol: method?.symbol ?? '',
    network: method === undefined ? '' : networkTitle(method.network),
  }
}

/** Returns the sum of the payments that are not in a block yet, as a text for each payment method. */
function waitingAmounts({ coming, known }: Checkout): readonly string[] {
  return [...groupBy(coming, ({ paymentMethodId }) => paymentMethodId)].flatMap(([methodId, own]) => {
    const method = known(methodId)
    const sumMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
    return method === undefined ? [] : [coinAmount(method, sumMinor)]
  })
}
