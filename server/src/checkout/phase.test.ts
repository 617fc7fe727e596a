import { describe, expect, it } from 'vitest'
import { type CheckoutPayment, phaseOf, type Situation } from './phase.ts'

const open: Situation = {
  type: 'onetime',
  state: 'pending',
  exceptions: [],
  isPayable: true,
  price: 'open',
  shownPayments: [],
  hasReceived: false,
  coming: 'nothing',
  claim: undefined,
}

const waiting: CheckoutPayment = {
  txHash: 'a',
  paymentMethodId: 4,
  amountMinor: 1n,
  state: 'pending',
  confirmations: undefined,
  confirmationsNeeded: 2,
  wasIncluded: false,
  isGone: false,
  isRecent: true,
  isWrongNetwork: false,
}
const dropped: CheckoutPayment = { ...waiting, wasIncluded: true }
const included: CheckoutPayment = { ...waiting, confirmations: 1, wasIncluded: true }

describe('the phase of a checkout', () => {
  it.each<[string, Partial<Situation>, string]>([
    ['no method is chosen', { price: undefined }, 'choose'],
    ['a price is promised', {}, 'pay'],
    ['the price is over', { price: 'over' }, 'renew'],
    ['a payment waits in a mempool', { shownPayments: [waiting], coming: 'enough' }, 'seen'],
    [
      'that is the second part and the last',
      { shownPayments: [waiting, included], hasReceived: true, coming: 'enough', exceptions: ['underpaid'] },
      'seen',
    ],
    ['a payment left its block', { shownPayments: [dropped], coming: 'enough' }, 'dropped'],
    ['less than is due waits in a mempool', { shownPayments: [waiting], coming: 'part' }, 'part-seen'],
    [
      'that is the second part and not the last',
      { shownPayments: [waiting, included], hasReceived: true, coming: 'part', exceptions: ['underpaid'] },
      'part-seen',
    ],
    [
      'all of it is in blocks but a part, and its merchant waits for confirmations',
      { shownPayments: [waiting, included], hasReceived: true, coming: 'part' },
      'part-seen',
    ],
    ['a part left its block', { shownPayments: [dropped], coming: 'part' }, 'part-seen'],
    [
      'a part waits and the price is over',
      { shownPayments: [waiting], coming: 'part', price: 'over' },
      'renew',
    ],
    [
      'a part waits and another way to pay is looked for',
      { shownPayments: [waiting], coming: 'part', price: undefined },
      'choose',
    ],
    ['what waits counts for nothing', { shownPayments: [waiting] }, 'pay'],
    ['what waited is gone', { shownPayments: [{ ...waiting, isGone: true }] }, 'pay'],
    ['a payment failed', { shownPayments: [{ ...waiting, state: 'failed' }] }, 'pay'],
    [
      'enough came, and more blocks are wanted',
      { shownPayments: [included], hasReceived: true },
      'confirming',
    ],
    [
      'less came than was asked',
      { shownPayments: [included], hasReceived: true, exceptions: ['underpaid'] },
      'partial',
    ],
    [
      'the price is over after a part',
      { hasReceived: true, exceptions: ['underpaid'], price: 'over' },
      'renew',
    ],
    ['it is paid', { state: 'paid', isPayable: false }, 'paid'],
    ['a reusable one was paid', { type: 'reusable', state: 'paid', hasReceived: true }, 'pay'],
    ['someone pays a collection', { type: 'collect', shownPayments: [waiting], hasReceived: true }, 'pay'],
    ['the time is over, and it is told later', { isPayable: false }, 'expired'],
    ['the time is over, and a payment waits', { isPayable: false, shownPayments: [waiting] }, 'seen'],
    [
      'the time is over, and enough waits',
      { isPayable: false, shownPayments: [waiting], coming: 'enough' },
      'seen',
    ],
    [
      'the time is over, and the last part waits',
      {
        isPayable: false,
        shownPayments: [waiting, included],
        hasReceived: true,
        coming: 'enough',
        exceptions: ['underpaid'],
      },
      'seen',
    ],
    [
      'the time is over, and what was enough left its block',
      { state: 'expired', isPayable: false, shownPayments: [dropped], coming: 'enough' },
      'dropped',
    ],
    [
      'the time is over, and a part waits',
      { isPayable: false, shownPayments: [waiting], coming: 'part' },
      'part-over',
    ],
    [
      'it expired, a part is in a block and another waits',
      {
        state: 'expired',
        isPayable: false,
        shownPayments: [waiting, included],
        hasReceived: true,
        coming: 'part',
        exceptions: ['underpaid'],
      },
      'part-over',
    ],
    [
      'the time is over, and a part is in a block',
      { isPayable: false, shownPayments: [included], hasReceived: true, exceptions: ['underpaid'] },
      'short',
    ],
    [
      'the time is over, and what was sent afterwards waits',
      { isPayable: false, shownPayments: [waiting], coming: 'late' },
      'late',
    ],
    [
      'it expired with too little',
      { state: 'expired', isPayable: false, exceptions: ['underpaid'] },
      'short',
    ],
    [
      'what came, came late',
      { state: 'expired', isPayable: false, exceptions: ['underpaid', 'late'] },
      'late',
    ],
    ['a claim is open', { type: 'withdraw', isPayable: false, claim: 'open' }, 'claim-open'],
  ])('where %s', (_, over, phase) => {
    expect(phaseOf({ ...open, ...over })).toBe(phase)
  })
})
