import { toEventHash } from 'viem'
import { describe, expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import { type Log, readTraces, type Trace } from './answers.ts'
import { coinTransfers, orderTransfers, tokenTransfers, transferTopic } from './transfers.ts'

const contract = `0x${'c0'.repeat(20)}`
const alice = `0x${'a1'.repeat(20)}`
const bob = `0x${'b0'.repeat(20)}`
const first = `0x${'01'.repeat(32)}`
const second = `0x${'02'.repeat(32)}`

describe('token transfers', () => {
  it('listens to the topic of EIP-20', () => {
    expect(transferTopic).toBe(toEventHash('event Transfer(address,address,uint256)'))
  })

  it('keys a transfer by its position among all logs of its own transaction, others before it or not', () => {
    const noise = log({ txHash: second, topics: [`0x${'ee'.repeat(32)}`] })
    const transfers = tokenTransfers([
      log({ txHash: first }),
      noise,
      log({ txHash: second }),
      log({ txHash: second }),
    ])
    expect(transfers.map(({ key }) => key)).toEqual([`${first}:log:0`, `${second}:log:1`, `${second}:log:2`])
  })

  it('reads sender, recipient and the whole 256 bits of the amount', () => {
    const amountMinor = 2n ** 256n - 1n
    expect(tokenTransfers([log({ payload: word(amountMinor) })])).toEqual([
      {
        key: `${first}:log:0`,
        txHash: first,
        asset: { type: 'token', contract },
        sender: alice,
        recipient: bob,
        amountMinor,
      },
    ])
  })

  it.each([
    [
      'an event of EIP-721, which has a fourth topic',
      { topics: [transferTopic, topic(alice), topic(bob), word(7n)], payload: word(1n) },
    ],
    [
      'an event without indexed addresses',
      { topics: [transferTopic], payload: `${word(1n)}${word(2n).slice(2)}${word(3n).slice(2)}` },
    ],
    ['a payload that is too short', { payload: '0x01' }],
    ['a payload that is too long', { payload: `${word(1n)}00` }],
    ['a topic that is no address', { topics: [transferTopic, topic(alice), word(2n ** 200n)] }],
    ['another event', { topics: [`0x${'ee'.repeat(32)}`, topic(alice), topic(bob)] }],
    ['a transfer of zero', { payload: word(0n) }],
    ['an event without topics', { topics: [] }],
  ])('ignores %s', (_, fault) => {
    expect(tokenTransfers([log(fault)])).toEqual([])
  })
})

describe('coin transfers', () => {
  it('keys a transfer by the position of its call, the top one by nothing', () => {
    const traces = [trace([]), trace([0]), trace([0, 2])]
    expect(coinTransfers(new Set([first]), traces).map(({ key }) => key)).toEqual([
      `${first}:call:`,
      `${first}:call:0`,
      `${first}:call:0.2`,
    ])
  })

  it('drops what failed and all below it, and keeps what is beside it', () => {
    const traces = [trace([]), trace([0], true), trace([0, 0]), trace([0, 0, 0]), trace([1]), trace([1, 0])]
    expect(coinTransfers(new Set([first]), traces).map(({ key }) => key)).toEqual([
      `${first}:call:`,
      `${first}:call:1`,
      `${first}:call:1.0`,
    ])
  })

  it('takes no failed step of one transaction for one of another', () => {
    const traces = [
      trace([], true),
      trace([0]),
      { ...trace([]), txHash: second },
      { ...trace([0]), txHash: second },
    ]
    expect(coinTransfers(new Set([first, second]), traces).map(({ txHash }) => txHash)).toEqual([
      second,
      second,
    ])
  })

  it('refuses traces that leave out a transaction, or the step above another', () => {
    expect(() => coinTransfers(new Set([first, second]), [trace([])])).toThrow(NodeError)
    expect(() => coinTransfers(new Set([first]), [trace([]), trace([0, 0])])).toThrow(NodeError)
  })
})

describe('steps that move the coin', () => {
  const hash = `0x${'bb'.repeat(32)}`
  const header = { block: { hash }, txHashes: new Set([first]) }
  const action = { from: alice, to: bob, value: '0x5', callType: 'call' }
  const step = (change: object) => ({
    type: 'call',
    action,
    blockHash: hash,
    transactionHash: first,
    traceAddress: [],
    ...change,
  })
  const moveOf = (change: object) => readTraces([step(change)], header)[0]?.move

  it('are calls, creations and ends', () => {
    const move = { sender: alice, recipient: bob, amountMinor: 5n }
    expect(moveOf({})).toEqual(move)
    expect(
      moveOf({ type: 'create', action: { from: alice, value: '0x5' }, result: { address: bob } }),
    ).toEqual(move)
    for (const type of ['suicide', 'selfdestruct']) {
      expect(moveOf({ type, action: { address: alice, refundAddress: bob, balance: '0x5' } })).toEqual(move)
    }
  })

  it.each([
    ['a delegatecall, whose value stays where it is', { action: { ...action, callType: 'delegatecall' } }],
    ['a callcode, whose value stays where it is', { action: { ...action, callType: 'callcode' } }],
    ['a static call', { action: { ...action, callType: 'staticcall' } }],
    ['a value of zero', { action: { ...action, value: '0x0' } }],
    ['a failed call', { error: 'Reverted' }],
    [
      'an account that ends in its own favour',
      { type: 'suicide', action: { address: bob, refundAddress: bob, balance: '0x5' } },
    ],
  ])('are not %s', (_, change) => {
    expect(moveOf(change)).toBeUndefined()
  })

  it('are no rewards: those are outside transactions', () => {
    const reward = {
      type: 'reward',
      action: { author: bob, value: '0x5', rewardType: 'block' },
      transactionHash: null,
    }
    expect(readTraces([step(reward)], header)).toEqual([])
  })
})

it("orders transfers by the block's transactions, coins before tokens", () => {
  const token = tokenTransfers([log({ txHash: second }), log({ txHash: first })])
  const coin = coinTransfers(new Set([first]), [trace([])])
  expect(orderTransfers(new Set([first, second]), coin, token).map(({ key }) => key)).toEqual([
    `${first}:call:`,
    `${first}:log:0`,
    `${second}:log:0`,
  ])
})

function log(change: Partial<Log> = {}): Log {
  return {
    txHash: first,
    address: contract,
    topics: [transferTopic, topic(alice), topic(bob)],
    payload: word(5n),
    ...change,
  }
}

function trace(position: readonly number[], failed = false): Trace {
  const move = failed ? undefined : { sender: alice, recipient: bob, amountMinor: 1n }
  return { txHash: first, position, failed, move }
}

function topic(address: string): string {
  return word(BigInt(address))
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
