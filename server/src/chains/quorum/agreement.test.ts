import { describe, expect, it } from 'vitest'
import type { BlockFacts, Transfer } from '../port.ts'
import { factsKey, findAgreed, findAgreedFacts } from './agreement.ts'

const hash = `0x${'bb'.repeat(32)}`
const block = { height: 5, hash, parentHash: hash, minedAt: new Date(0) }

function paid(recipient: string, position: string, txHash = '0xaa'): Transfer {
  const key = `${txHash}:call:${position}`
  return { key, txHash, asset: { type: 'coin' }, sender: '0xc0', recipient, amountMinor: 5n }
}

function facts(...transfers: readonly Transfer[]): BlockFacts {
  return { block, transfers }
}

describe('two nodes agree on a block', () => {
  it('that they traced by different methods', () => {
    const own = facts(paid('0x01', ''))
    const other = { ...own, tracedBy: 'debug_traceBlockByHash' } as const
    expect(factsKey({ ...own, tracedBy: 'trace_block' })).toBe(factsKey(other))
  })

  it('in which they number the calls differently, and the value is that of the first', () => {
    const first = facts(paid('0x01', '1'), paid('0x02', '1.0'), paid('0x03', '12'))
    const second = facts(paid('0x01', '0'), paid('0x02', '0.0'), paid('0x03', '9'))
    const agreed = findAgreed(
      [first, second].map((value, node) => ({ node, value })),
      factsKey,
    )
    expect(agreed).toEqual({ value: first, others: [] })
  })

  it('of which one reports a self-destruction before the calls that the contract made', () => {
    const calls = [paid('0x01', '0'), paid('0x02', '0.0'), paid('0x03', '0.1')] as const
    expect(factsKey(facts(calls[0], calls[2], calls[1]))).toBe(factsKey(facts(...calls)))
  })
})

describe('nodes with and without traces', () => {
  const traced = { ...facts(paid('0x01', ''), paid('0x02', '0')), tracedBy: 'trace_block' } as const
  const plain = { ...facts(paid('0x01', '')), tracedBy: 'none' } as const
  const invented = { ...traced, transfers: [...traced.transfers, paid('0x09', '1')] }
  const hidden = { ...facts(), tracedBy: 'trace_block' } as const
  const agreedOn = (...values: readonly (BlockFacts | undefined)[]) =>
    findAgreedFacts(values.map((value, node) => ({ node, value })))

  it.each<[string, readonly BlockFacts[], ReturnType<typeof agreedOn>]>([
    ['two that trace decide', [plain, traced, traced], { value: traced, others: [] }],
    ['one that traces does not decide', [traced, plain], { value: plain, others: [] }],
    ['one that traces cannot invent', [invented, plain, plain], { value: plain, others: [] }],
    ['two that trace differently need a third', [invented, traced], undefined],
    ['two that trace differently, and one without', [invented, traced, plain], { value: plain, others: [] }],
    ['what all see must be the same', [hidden, plain], undefined],
    ['who lacks what all see contradicts', [hidden, plain, plain], { value: plain, others: [0] }],
    ['who lacks it beside traces contradicts', [traced, traced, facts()], { value: traced, others: [2] }],
  ])('%s', (_, values, expected) => {
    expect(agreedOn(...values)).toEqual(expected)
  })

  it('agree on a block without transactions, and that there is no block', () => {
    expect(agreedOn(facts(), facts())?.value).toEqual(facts())
    expect(agreedOn(undefined, undefined)).toEqual({ value: undefined, others: [] })
    expect(agreedOn(undefined, plain)).toBeUndefined()
  })
})

describe('two nodes disagree on a block', () => {
  const own = facts(paid('0x01', '0'), paid('0x02', '1'))

  it.each<[string, BlockFacts]>([
    ['one swaps the positions of two transfers', facts(paid('0x01', '1'), paid('0x02', '0'))],
    ['one has another recipient', facts(paid('0x01', '0'), paid('0x03', '1'))],
    ['one has a transfer less', facts(paid('0x01', '0'))],
    ['one has a transfer of another transaction', facts(paid('0x01', '0'), paid('0x02', '1', '0xab'))],
    [
      'one has it as a token',
      { ...own, transfers: own.transfers.map((one) => ({ ...one, key: '0xaa:log:0' })) },
    ],
  ])('if %s', (_, other) => {
    expect(factsKey(other)).not.toBe(factsKey(own))
  })

  it('if the keys of logs differ', () => {
    const token = { type: 'token', contract: '0x0c' } as const
    const logged = (key: string) => facts({ ...paid('0x01', ''), asset: token, key })
    expect(factsKey(logged('0xaa:log:0'))).not.toBe(factsKey(logged('0xaa:log:1')))
  })
})
