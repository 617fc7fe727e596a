/** Tests what the model of the simulation accepts of the events of a merchant, and of orders that wait. */
import { describe, expect, it } from 'vitest'
import { findWrongEvents } from '../../simulation/model/check-events.ts'
import { findWrongStates } from '../../simulation/model/check-invoices.ts'
import type { CheckedWorld } from '../../simulation/model/checked-world.ts'
import { findUncovered } from '../../simulation/model/coverage.ts'
import { Model } from '../../simulation/model/model.ts'
import { OracleAnswers, type ScreeningRun } from '../../simulation/model/oracle-answers.ts'
import type { ModelOrder } from '../../simulation/model/order.ts'
import type { TrueTransfer } from '../../simulation/model/true-transfer.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { required } from '../../src/core/assert.ts'
import { modelCoin } from './model-coin.ts'

const merchantId = 'merchant'
const other = 'other merchant'

const asset = modelCoin('ethereum/ETH', { minimumMinor: 1_000n })

const transferOf = (changes: Partial<TrueTransfer> = {}): TrueTransfer => ({
  network: 'ethereum',
  txHash: 'tx',
  contract: null,
  sender: 'payer',
  isFromUs: false,
  recipient: 'address of invoice',
  amountMinor: 100_000_000n,
  ...changes,
})

function worldOf(transfers: readonly TrueTransfer[]): CheckedWorld {
  const model = new Model()
  model.merchants.push(merchantId)
  model.invoices.set('invoice', merchantId).set('foreign', other)
  const shown = { merchantId, invoiceId: 'invoice', address: 'address of invoice' }
  model.shown.push({
    ...shown,
    methodId: asset.methodId,
    network: asset.network,
    amountUsd: '100',
    amountMinor: 100_000_000n,
    expiresMs: 3_600_000,
    requestedMs: 0,
    answeredMs: 0,
  })
  return { model, assets: [asset], chains: [], ours: new Set(), transfers, payments: [], charges: new Map() }
}

type Reported = readonly [type: string, data: Readonly<Record<string, unknown>>]

function problemsOf(
  reported: readonly Reported[],
  state: string,
  transfers: readonly TrueTransfer[] = [],
  unscreened: readonly string[] = [],
) {
  const feed = reported.map(([type, data], index) => {
    return JSON.stringify({ id: `${index}`, type, merchantID: merchantId, sequence: index + 1, data })
  })
  const world = worldOf(transfers)
  for (const sender of unscreened) world.model.unscreened.add(sender)
  return findWrongEvents(world, {
    feeds: new Map([[merchantId, feed]]),
    orders: new Map(),
    invoices: new Map([['invoice', state]]),
  }).map((one) => one.replace('merchant 1: ', ''))
}

const invoice = (type: string, state?: string, invoiceID = 'invoice'): Reported => [
  `invoice.${type}`,
  { invoiceID, state },
]

it('accepts an invoice that is paid, reverted and expired, each told once', () => {
  const reported = [invoice('paid'), invoice('reverted', 'pending'), invoice('expired', 'expired')]
  expect(problemsOf(reported, 'expired')).toEqual([])
  expect(problemsOf([...reported, invoice('underpaid', 'expired')], 'expired')).toEqual([])
})

it.each<[string, readonly Reported[], string, string]>([
  [
    'an invoice that expires with the event of a reversal',
    [invoice('paid'), invoice('reverted', 'expired')],
    'expired',
    'invoice.reverted was told of an invoice that was paid, which is now expired',
  ],
  [
    'an underpaid invoice whose end was not told',
    [invoice('underpaid', 'expired')],
    'expired',
    'invoice.underpaid was told of an invoice that was pending, which is now expired',
  ],
  [
    'an underpaid invoice that is pending again',
    [invoice('expired', 'expired'), invoice('underpaid', 'pending')],
    'pending',
    'invoice.underpaid was told of an invoice that was expired, which is now pending',
  ],
  [
    'an invoice of another merchant',
    [invoice('paid', undefined, 'foreign')],
    'pending',
    'was told of an invoice that it never opened',
  ],
])('rejects %s', (_case, reported, state, problem) => {
  expect(problemsOf(reported, state)).toEqual([problem])
})

const payment = (type: string, amount: string, terms: object = {}, id = 'p'): Reported => [
  `transaction.${type}`,
  { transactionID: id, invoiceID: 'invoice', txHash: 'tx', currency: 'ETH', amount, ...terms },
]

it('accepts a payment below the minimum without a credit, and the next one with a credit', () => {
  const reported = [
    payment('detected', '0.00000999'),
    payment('confirmed', '0.00000999', { fee: null, net: null }),
    payment('detected', '1', {}, 'q'),
    payment('confirmed', '1', { fee: '0.01', net: '0.99' }, 'q'),
  ]
  expect(problemsOf(reported, 'pending', [transferOf({ amountMinor: 999n }), transferOf()])).toEqual([])
})

it.each<[string, object]>([
  ['without a credit', { fee: null, net: null }],
  ['with a fee and without a credit', { fee: '0.01', net: null }],
  ['with a fee of 0.02 and 0.99', { fee: '0.02', net: '0.99' }],
])('rejects a payment above the minimum %s', (words, terms) => {
  const reported = [payment('detected', '1'), payment('confirmed', '1', terms)]
  expect(problemsOf(reported, 'pending', [transferOf()])).toEqual([
    `a payment of 1 ETH was told as confirmed ${words}`,
  ])
})

describe('a payment that is confirmed after its quarantine', () => {
  /** Returns the problems of such a payment, whose sender is `payer` on Ethereum. */
  function problemsWith(reason: string, unscreened: readonly string[]): readonly string[] {
    const confirmed = { fee: '0.01', net: '0.99' }
    const reported = [
      payment('detected', '1'),
      payment('quarantined', '1', { reason }),
      payment('confirmed', '1', confirmed),
    ]
    return problemsOf(reported, 'pending', [transferOf()], unscreened)
  }

  it('is right if its sender could not be screened at first', () => {
    expect(problemsWith('unknown', ['ethereum payer'])).toEqual([])
  })

  it.each<[string, string, readonly string[]]>([
    ['its sender was screened at once', 'unknown', []],
    ['another sender could not be screened', 'unknown', ['base payer', 'ethereum other']],
    ['its sender was told to be listed', 'listed', ['ethereum payer']],
  ])('is a finding if %s', (_case, reason, unscreened) => {
    expect(problemsWith(reason, unscreened)).toEqual([
      'a payment is told as detected, quarantined, confirmed',
    ])
  })

  it('is a finding if its sender could not be screened although the oracle had answered', () => {
    const world = worldOf([])
    world.model.wronglyUnscreened.add('ethereum payer')
    const answers = { feeds: new Map(), orders: new Map(), invoices: new Map([['invoice', 'pending']]) }
    expect(findWrongEvents(world, answers)).toEqual([
      'the sender ethereum payer could not be screened, although the oracle had answered',
    ])
  })

  it('must be confirmed at the end', () => {
    const reported = [payment('detected', '1'), payment('quarantined', '1', { reason: 'unknown' })]
    expect(problemsOf(reported, 'pending', [transferOf()], ['ethereum payer'])).toHaveLength(2)
  })
})

describe('a sender that the service may have been unable to screen', () => {
  const minuteMs = 60_000

  interface Times {
    readonly process?: string
    readonly network?: string
    readonly startedMs: number
    /** When the oracle answered about the payer. By default the service asked nothing. */
    readonly answeredMs?: number
    /** By default the screening gave no verdict. */
    readonly endedMs?: number
  }

  function run(answers: OracleAnswers, times: Times): ScreeningRun {
    const { process = 'watcher#1', network = 'ethereum', startedMs, answeredMs, endedMs } = times
    const begun = answers.begin(process, network, startedMs)
    if (answeredMs !== undefined) {
      answers.ask(begun, ['payer'], startedMs)
      answers.answer(begun, answeredMs)
    }
    if (endedMs !== undefined) answers.end(begun, endedMs)
    return begun
  }

  /** Returns whether the payer may be unknown in the last of these screenings. */
  function mayBeUnknown(earlier: readonly Times[], last: Times, address = 'payer'): boolean {
    const answers = new OracleAnswers()
    for (const times of earlier) run(answers, times)
    return answers.mayBeUnknown(run(answers, last), address)
  }

  const atStart: Times = { startedMs: 0, answeredMs: 0, endedMs: 0 }
  const inMinutes = (startedMs: number, endedMs: number): Times => {
    return { startedMs: startedMs * minuteMs, endedMs: endedMs * minuteMs }
  }

  it('is one about whom the answer may have become too old meanwhile', () => {
    const last = inMinutes(1, 10)
    expect(mayBeUnknown([atStart], last)).toBe(true)
    expect(mayBeUnknown([atStart], { ...last, process: 'api#1' })).toBe(true)
    expect(mayBeUnknown([{ ...atStart, answeredMs: 1, endedMs: 1 }], last)).toBe(false)
    expect(mayBeUnknown([atStart], { ...last, network: 'base' })).toBe(false)
    expect(mayBeUnknown([atStart], last, 'other')).toBe(false)
  })

  it('is none about whom a later answer was stored that is still recent', () => {
    const later = { startedMs: 9 * minuteMs, answeredMs: 9 * minuteMs, endedMs: 9 * minuteMs }
    expect(mayBeUnknown([atStart, later], inMinutes(9, 10))).toBe(false)
    expect(mayBeUnknown([atStart, later], inMinutes(18.9, 19))).toBe(true)
    // A screening that has not ended may not have stored its answer.
    const { startedMs, answeredMs } = later
    expect(mayBeUnknown([atStart, { startedMs, answeredMs }], inMinutes(9, 10))).toBe(true)
  })

  it('is none if the only answer was too old already when the service could ask again', () => {
    expect(mayBeUnknown([atStart], inMinutes(10, 11))).toBe(false)
    expect(mayBeUnknown([{ ...atStart, endedMs: 1 }], inMinutes(10, 11))).toBe(true)
  })

  it('is none if the oracle answered this screening, unless time passed before the verdict', () => {
    const last = { startedMs: 9 * minuteMs, answeredMs: 9 * minuteMs }
    expect(mayBeUnknown([atStart], { ...last, endedMs: 10 * minuteMs })).toBe(false)
    expect(mayBeUnknown([atStart], { ...last, endedMs: 19 * minuteMs })).toBe(true)
  })

  it('is one about whom the oracle answered too late, until the process asks again', () => {
    const late: Times = { startedMs: 0, answeredMs: 3_000, endedMs: 3_000 }
    const soon: Times = { startedMs: 13_000, endedMs: 13_000 }
    expect(mayBeUnknown([], late)).toBe(true)
    expect(mayBeUnknown([late], soon)).toBe(true)
    expect(mayBeUnknown([{ ...late, answeredMs: 2_999 }], soon)).toBe(false)
    expect(mayBeUnknown([late], { ...soon, process: 'watcher#2' })).toBe(false)
    expect(mayBeUnknown([late], { ...soon, network: 'base' })).toBe(false)
    expect(mayBeUnknown([late], { startedMs: 13_001, endedMs: 13_001 })).toBe(false)
  })

  it('is one about whom the oracle has not answered for too long', () => {
    const answers = new OracleAnswers()
    answers.ask(answers.begin('watcher#1', 'ethereum', 0), ['payer'], 0)
    const until = (endedMs: number) => answers.mayBeUnknown(run(answers, { startedMs: 0, endedMs }), 'payer')
    expect(until(2_999)).toBe(false)
    expect(until(3_000)).toBe(true)
  })
})

describe('orders that may wait', () => {
  /** Returns the ids of the pending orders of these amounts, a, b and c, that may wait. */
  function waitingOf(world: CheckedWorld, amountsMinor: readonly bigint[]): readonly string[] {
    const orders = amountsMinor.map((amountMinor, index): ModelOrder => {
      const id = required('abc'[index], 'an id')
      const times = { isAnswered: true, requestedMs: 0, isCancelled: false }
      return { id, merchantId, asset, address: id, amountMinor, ...times }
    })
    world.model.orders.push(...orders)
    return [...findUncovered(world, new Map(orders.map(({ id }) => [id, 'pending'])))].map(({ id }) => id)
  }

  it('are those that the money does not cover, and those after them, if a listed sender paid', () => {
    const stuck = transferOf({ recipient: 'suspect' })
    const world = worldOf([transferOf(), stuck, transferOf({ recipient: 'suspect', sender: 'listed' })])
    const [shown] = world.model.shown
    world.model.shown.push({ ...required(shown, 'an address'), invoiceId: 'i2', address: 'suspect' })
    world.model.listed.add('listed')
    // The merchant has two payments. One must stay at its address, because a sender on the sanctions list paid to
    // the same address. Orders can use only the other one, which credited 99,000,000.
    expect(waitingOf(world, [98_000_000n, 2_000_000n, 1n])).toEqual(['b', 'c'])
  })

  /**
   * Returns a world on a UTXO network with a fee rate of 10 units per virtual byte. The merchant has a payment of
   * 100,000 and a payment of `amountMinor`. If `isSpent` is true, the output of the second payment is spent.
   */
  function worldWithOutput(amountMinor: bigint, isSpent: boolean): CheckedWorld {
    const { network } = asset
    const chain = new FakeChain({ hashPrefix: '' })
    const move = { asset: { type: 'coin' }, sender: 'payer', recipient: 'address of invoice' } as const
    const payment = chain.transaction([{ ...move, amountMinor: 100_000n }], { spends: [] })
    const small = chain.transaction([{ ...move, amountMinor }], { spends: [] })
    const change = { ...move, recipient: 'hot wallet', amountMinor: 1n }
    const spending = chain.transaction([change], { spends: [`${small.hash}:0`] })
    chain.mine([payment, small, ...(isSpent ? [spending] : [])])
    const bareBytesOf = () => 0
    const feeTerms = { highestRate: 0n, usualRate: 10_000n, dustMinor: 0n, canReplace: true, bareBytesOf }
    const times = { lost: [], firstMinedMs: () => 0 }
    return {
      ...worldOf([transferOf({ amountMinor: 100_000n }), transferOf({ amountMinor })]),
      chains: [{ network, chain, hotWallets: ['hot wallet'], feeTerms, ...times }],
    }
  }

  // To spend an output of a deposit address takes 68 virtual bytes.
  it.each<[string, bigint, boolean, readonly string[]]>([
    ['those that an output covers whose fee is more than half of it', 1_359n, false, ['b']],
    ['none if the fee is half of the output', 1_360n, false, []],
    ['none if the output was spent', 1_359n, true, []],
  ])('are %s', (_case, amountMinor, isSpent, waiting) => {
    const world = worldWithOutput(amountMinor, isSpent)
    expect(waitingOf(world, [99_000n, 1n])).toEqual(waiting)
  })
})

describe('the state of an invoice that ends after an hour', () => {
  const endMs = 60 * 60 * 1000

  /** Returns the problems of an invoice if `percent` of its amount was mined at `minedMs`. */
  function problemsAt(state: string, percent: bigint, minedMs: number, nowMs = 2 * endMs) {
    const chain = new FakeChain({ genesisAt: new Date(0) })
    const recipient = 'address of invoice'
    const move = {
      asset: { type: 'coin' },
      sender: 'payer',
      recipient,
      amountMinor: percent * 1_000_000n,
    } as const
    const transaction = chain.transaction([move])
    chain.mine([transaction], new Date(minedMs))
    const { hash: txHash } = transaction
    const world: CheckedWorld = {
      ...worldOf([transferOf({ txHash, amountMinor: move.amountMinor })]),
      chains: [
        {
          network: 'ethereum',
          chain,
          hotWallets: [],
          lost: [],
          feeTerms: undefined,
          firstMinedMs: () => minedMs,
        },
      ],
    }
    return findWrongStates(world, { states: new Map([['invoice', state]]), nowMs })
  }

  it.each<[string, string, bigint, number]>([
    ['paid in time', 'paid', 100n, endMs - 1],
    ['paid in time by half', 'expired', 50n, endMs - 1],
    ['paid late', 'expired', 100n, endMs],
  ])('is right: %s', (_case, state, percent, minedMs) => {
    expect(problemsAt(state, percent, minedMs)).toEqual([])
  })

  it.each<[string, string, bigint, number]>([
    ['paid in time and expired', 'expired', 100n, endMs - 1],
    ['paid by half and reported as paid', 'paid', 50n, endMs - 1],
    ['paid late and reported as paid', 'paid', 100n, endMs],
    ['neither paid nor expired', 'pending', 50n, 0],
  ])('is a finding: %s', (_case, state, percent, minedMs) => {
    expect(problemsAt(state, percent, minedMs)).toHaveLength(1)
  })

  it('is pending before its end', () => {
    expect(problemsAt('pending', 50n, 0, endMs - 1)).toEqual([])
    expect(problemsAt('expired', 50n, 0, endMs - 1)).toHaveLength(1)
  })
})
