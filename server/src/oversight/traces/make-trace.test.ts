import { describe, expect, it } from 'vitest'
import { traceOf } from './make-trace.ts'
import type { NodeFact, TracedPayment, TraceFacts } from './trace.ts'

const minedAt = new Date(1_700_000_000_000)
const ownTransfer = { recipient: '0xours', amount: '10 USDT', contract: '0xusdt' }
const mined = (over: Partial<NodeFact & { type: 'mined' }> = {}): NodeFact => ({
  type: 'mined',
  height: 105,
  minedAt,
  moved: 1,
  received: [ownTransfer],
  internalTransfers: 0,
  ...over,
})
const confirmed: TracedPayment = {
  depositId: 'a transaction',
  invoiceId: 'an invoice',
  amount: '10 USDT',
  state: 'confirmed',
  createdAt: minedAt,
  blockHeight: 105,
  includedAt: minedAt,
  isWaiting: false,
  wasIncluded: true,
  replacedBy: undefined,
  confirmations: 6,
  confirmationsRequired: 2,
  confirmedAt: minedAt,
  net: '9.8 USDT',
  fee: '0.2 USDT',
  isBelowMinimum: false,
  isQuarantined: false,
  minimum: '0.5 USDT',
  isLate: false,
  isOffered: true,
  isWrongNetwork: false,
  isAttributed: false,
  networkTitle: 'Ethereum',
  isInvoiceDeleted: false,
}
const pending = { state: 'pending', confirmedAt: undefined, net: undefined, fee: undefined } as const
const waiting = { ...pending, blockHeight: undefined, wasIncluded: false } as const
const trace = (over: Partial<TraceFacts>) =>
  traceOf({
    network: 'ethereum',
    node: mined(),
    booked: { firstHeight: 100, height: 110 },
    payments: [],
    ...over,
  })
const codeOf = (over: Partial<TraceFacts>) => trace(over).verdict.code
const codeWith = (over: Partial<TracedPayment>, node: NodeFact = mined()) =>
  codeOf({ node, payments: [{ ...confirmed, ...over }] })

describe('a transaction that is not in our books', () => {
  it.each<[string, NodeFact, string]>([
    ['no node knows', { type: 'unknown' }, 'unknown-transaction'],
    ['waits in the mempool', { type: 'pending' }, 'in-mempool'],
    ['was mined and failed', { type: 'failed', height: 105 }, 'failed-on-chain'],
    ['cannot be asked about, as the node is away', { type: 'silent' }, 'node-silent'],
    ['moved nothing above zero', mined({ moved: 0, received: [] }), 'nothing-moved'],
    ['paid others', mined({ received: [] }), 'not-to-this-merchant'],
    ['was sent by Coffer itself', mined({ received: [], internalTransfers: 1 }), 'internal-transfer'],
    [
      'paid in a look-alike token',
      mined({ received: [{ ...ownTransfer, amount: undefined }] }),
      'unlisted-asset',
    ],
    ['is in a block above ours', mined({ height: 111 }), 'not-scanned-yet'],
    ['is in a block below our first', mined({ height: 99 }), 'before-first-block'],
    ['paid this merchant in a booked block', mined(), 'not-recorded'],
  ])('%s', (_what, node, code) => {
    expect(codeOf({ node })).toBe(code)
  })

  it('shows by how many blocks the watcher lags', () => {
    expect(trace({ node: mined({ height: 113 }) }).verdict.detail).toContain('3 block(s)')
    expect(codeOf({ booked: undefined })).toBe('not-scanned-yet')
  })

  it('steps until it is stopped', () => {
    const { steps } = trace({ node: mined({ received: [] }) })
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ['node', true],
      ['block', true],
      ['scanned', true],
      ['recipient', false],
    ])
  })
})

describe('a payment in our books', () => {
  it.each<[string, Partial<TracedPayment>, string]>([
    ['is credited', {}, 'credited'],
    ['is credited though its invoice is gone', { isInvoiceDeleted: true }, 'credited'],
    ['waits for confirmations', { ...pending, confirmations: 1 }, 'waiting-for-confirmations'],
    ['is kept apart below the minimum', { net: undefined, fee: undefined }, 'below-minimum'],
    ['came late and is credited', { isLate: true }, 'late'],
    ['came in an asset the invoice does not offer', { isOffered: false }, 'other-asset'],
    [
      'came on a network the invoice does not offer',
      { isOffered: false, isWrongNetwork: true, net: undefined, fee: undefined },
      'wrong-network',
    ],
    ['was dropped by a reorganisation', { ...pending, blockHeight: undefined }, 'dropped'],
    ['waits for its first block', { ...waiting, isWaiting: true }, 'in-mempool'],
    ['waited and is gone', waiting, 'unseen'],
    ['waits beside another that spends the same', { ...waiting, replacedBy: 'another' }, 'replaced'],
    ['lost to another', { ...waiting, state: 'failed', replacedBy: 'another' }, 'replaced'],
    ['failed', { ...pending, state: 'failed' }, 'failed-on-chain'],
  ])('%s', (_what, over, code) => {
    expect(codeWith(over)).toBe(code)
    // If the node does not answer, the books alone must give the same verdict.
    expect(codeWith(over, { type: 'silent' })).toBe(code)
  })

  it('that was dropped and failed when mined again has failed', () => {
    expect(codeWith({ ...pending, blockHeight: undefined }, { type: 'failed', height: 106 })).toBe(
      'failed-on-chain',
    )
  })

  it('says how many confirmations it has, and what was credited', () => {
    const waiting = { ...confirmed, ...pending, confirmations: 1 }
    expect(trace({ payments: [waiting] }).verdict.detail).toContain('1 of 2 confirmations')
    const { verdict, steps } = trace({ payments: [confirmed] })
    expect(verdict.detail).toBe('9.8 USDT of 10 USDT was credited, the fee was 0.2 USDT.')
    expect(steps.map(({ step }) => step).slice(4)).toEqual([
      'recorded',
      'confirmations',
      'credited',
      'invoice',
    ])
    expect(steps.every(({ ok }) => ok)).toBe(true)
  })

  it('that is stopped decides over one beside it that was credited', () => {
    expect(codeOf({ payments: [confirmed, { ...confirmed, isLate: true }] })).toBe('late')
  })
})
