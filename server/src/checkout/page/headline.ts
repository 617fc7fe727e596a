import type { Texts } from '../languages/en.ts'
import type { Phase } from '../phase.ts'
import type { Checkout } from '../read-checkout.ts'
import { coinAmount, networkTitle } from './wording.ts'

/** How a phase looks: something to do, something under way, well ended, ended otherwise. */
export type Tone = 'open' | 'moving' | 'good' | 'over'

export interface Headline {
  readonly tone: Tone
  readonly title: keyof Texts
  readonly more?: keyof Texts
}

const headlines: Readonly<Record<Phase, Headline>> = {
  choose: { tone: 'open', title: 'choose' },
  pay: { tone: 'open', title: 'waiting' },
  partial: { tone: 'open', title: 'partial', more: 'partialMore' },
  renew: { tone: 'open', title: 'renew', more: 'renewMore' },
  seen: { tone: 'moving', title: 'seen', more: 'seenMore' },
  dropped: { tone: 'moving', title: 'dropped', more: 'droppedMore' },
  confirming: { tone: 'moving', title: 'confirming' },
  paid: { tone: 'good', title: 'paid', more: 'paidMore' },
  short: { tone: 'over', title: 'short', more: 'shortMore' },
  late: { tone: 'over', title: 'late', more: 'lateMore' },
  expired: { tone: 'over', title: 'expired', more: 'expiredMore' },
  'claim-open': { tone: 'open', title: 'claimOpen', more: 'claimMore' },
  'claim-paying': { tone: 'moving', title: 'claimPaying', more: 'claimPayingMore' },
  'claim-paid': { tone: 'good', title: 'claimPaid', more: 'claimPaidMore' },
  'claim-over': { tone: 'over', title: 'claimOver' },
}

export function headlineOf(phase: Phase): Headline {
  return headlines[phase]
}

/** What the places in its sentences are filled with. */
export function headlineValues({ merchantName, shown, methods }: Checkout): Readonly<Record<string, string>> {
  const method = shown?.method ?? methods[0]
  return {
    merchant: merchantName,
    due: shown === undefined ? '' : coinAmount(shown.method, shown.amountMinor),
    symbol: method?.symbol ?? '',
    network: method === undefined ? '' : networkTitle(method),
  }
}
