import { describe, expect, it } from 'vitest'
import { type Arrival, phaseOf, type Situation } from './phase.ts'

const open: Situation = {
  type: 'onetime',
  state: 'pending',
  exceptions: [],
  isPayable: true,
  price: 'open',
  arrivals: [],
  hasReceived: false,
  claim: undefined,
}

const waiting: Arrival = {
  txHash: 'a',
  paymentMethodId: 4,
  amountMinor: 1n,
  state: 'pending',
  confirmations: undefined,
  confirmationsNeeded: 2,
  wasIncluded: false,
  isGone: false,
  isRecent: true,
}
const included: Arrival = { ...waiting, confirmations: 1, wasIncluded: true }

describe('the phase of a checkout', () => {
  it.each<[string, Partial<Situation>, string]>([
    ['no method is chosen', { price: undefined }, 'choose'],
    ['a price is promised', {}, 'pay'],
    ['the price is over', { price: 'over' }, 'renew'],
    ['a payment waits in a mempool', { arrivals: [waiting] }, 'seen'],
    ['that is the second part', { arrivals: [waiting, included], exceptions: ['underpaid'] }, 'seen'],
    ['a payment left its block', { arrivals: [{ ...waiting, wasIncluded: true }] }, 'dropped'],
    ['what waited is gone', { arrivals: [{ ...waiting, isGone: true }] }, 'pay'],
    ['a payment failed', { arrivals: [{ ...waiting, state: 'failed' }] }, 'pay'],
    ['enough came, and more blocks are wanted', { arrivals: [included], hasReceived: true }, 'confirming'],
    [
      'less came than was asked',
      { arrivals: [included], hasReceived: true, exceptions: ['underpaid'] },
      'partial',
    ],
    [
      'the price is over after a part',
      { hasReceived: true, exceptions: ['underpaid'], price: 'over' },
      'renew',
    ],
    ['it is paid', { state: 'paid', isPayable: false }, 'paid'],
    ['a reusable one was paid', { type: 'reusable', state: 'paid', hasReceived: true }, 'pay'],
    ['someone pays a collection', { type: 'collect', arrivals: [waiting], hasReceived: true }, 'pay'],
    ['the time is over, and it is told later', { isPayable: false }, 'expired'],
    ['the time is over, and a payment waits', { isPayable: false, arrivals: [waiting] }, 'seen'],
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
