/**
 * Tests which treasury withdrawals the simulation accepts: those that are paid as their states say, from the
 * operator's own money.
 */
import { describe, expect, it } from 'vitest'
import type { ModelAsset } from '../../simulation/model/asset.ts'
import type { CheckedWorld, OurPayment } from '../../simulation/model/checked-world.ts'
import { Model } from '../../simulation/model/model.ts'
import { type CheckedChain, ownAddresses, transfersOn } from '../../simulation/model/transfers.ts'
import { findOverdrawn, findWrongTreasuryPayments } from '../../simulation/treasury/check-treasury.ts'
import { coldAddresses } from '../../simulation/treasury/cold-addresses.ts'
import type { TreasuryStates } from '../../simulation/treasury/treasury-order.ts'
import { FakeChain, type FakeMove } from '../../src/chains/fake/fake-chain.ts'
import { required } from '../../src/core/assert.ts'
import type { TreasuryWithdrawalSource } from '../../src/outgoing/treasury/own-money.ts'
import type { TreasuryWithdrawalState } from '../../src/outgoing/treasury/treasury-withdrawal.ts'
import { modelCoin } from './model-coin.ts'

const eth = modelCoin('ethereum/ETH', { minimumMinor: 50n, dustMinor: 500n })
const usdt: ModelAsset = { ...eth, methodId: 2, name: 'ethereum/USDT', contract: 'usdt' }

const cold = required(coldAddresses.get('ethereum'), 'the cold address')

/** A treasury withdrawal, by default of 1000 of the capital in the coin. */
interface Order {
  readonly asset?: ModelAsset
  readonly source?: TreasuryWithdrawalSource
  readonly minor?: bigint
  /** Undefined if the API does not know the order. */
  readonly state: TreasuryWithdrawalState | undefined
  readonly isAnswered?: boolean
}

interface Changes {
  /** What happened to the installation, and which senders are listed. */
  readonly model?: Partial<Pick<Model, 'isRestored' | 'isDeceived'>> & { readonly listed?: readonly string[] }
  readonly payments?: readonly OurPayment[]
  /** The amount of an order of the merchant to the address of a recipient. */
  readonly withdrawnMinor?: bigint
}

/** Returns a world with one merchant and one invoice in the coin. */
function worldOf(orders: readonly Order[], moves: readonly FakeMove[], changes: Changes = {}) {
  const { payments = [], withdrawnMinor } = changes
  const { listed = [], ...flags } = changes.model ?? {}
  const model = Object.assign(new Model(), flags)
  for (const sender of listed) model.listed.add(sender)
  for (const [
    index,
    { asset = eth, source = 'capital', minor = 1_000n, isAnswered = true },
  ] of orders.entries())
    model.treasuryOrders.push({ id: String(index), asset, source, amountMinor: minor, isAnswered })
  const merchantId = 'merchant'
  const times = { expiresMs: 1, requestedMs: 0, answeredMs: 0 }
  const amounts = { amountUsd: '1', amountMinor: 1n }
  model.shown.push({
    merchantId,
    invoiceId: 'one',
    address: 'invoice',
    methodId: 1,
    network: 'ethereum',
    ...amounts,
    ...times,
  })
  if (withdrawnMinor !== undefined) {
    const order = { id: 'order', merchantId, asset: eth, address: 'recipient', amountMinor: withdrawnMinor }
    model.orders.push({ ...order, isAnswered: true, requestedMs: 0, isCancelled: false })
  }
  const chain = new FakeChain()
  chain.mine(moves.map((move) => chain.transaction([move])))
  const checked: CheckedChain = {
    network: 'ethereum',
    chain,
    hotWallets: ['hot wallet'],
    lost: [],
    feeTerms: undefined,
    firstMinedMs: () => 0,
  }
  const chains = [checked]
  const ours = ownAddresses({ model, chains })
  const transfers = transfersOn(checked, ours)
  const world: CheckedWorld = {
    model,
    assets: [eth, usdt],
    chains,
    ours,
    transfers,
    payments,
    charges: new Map(),
  }
  const states: TreasuryStates = new Map(
    orders.flatMap(({ state }, index) => (state === undefined ? [] : [[String(index), state]])),
  )
  return { world, states }
}

const coin = (sender: string, recipient: string, amountMinor: bigint): FakeMove => ({
  asset: { type: 'coin' },
  sender,
  recipient,
  amountMinor,
})
const token = (sender: string, recipient: string, amountMinor: bigint): FakeMove => ({
  ...coin(sender, recipient, amountMinor),
  asset: { type: 'token', contract: 'usdt' },
})

const toCold = coin('hot wallet', cold, 1_000n)
const completed = { state: 'completed' } as const
const pending = { state: 'pending' } as const
const failed = { state: 'failed' } as const
const lost = { state: undefined } as const
const unanswered = { state: undefined, isAnswered: false } as const

const received = (completedCount: number, times: number, what = '1000 ethereum/ETH') =>
  `${completedCount} treasury withdrawals of ${what} are completed, and the cold address received ${times}`
const isWrong = (state: string) => `a treasury withdrawal of 1000 ethereum/ETH is ${state}`

describe('the cold address', () => {
  it.each<[string, readonly Order[], readonly FakeMove[]]>([
    [
      'each completed order once',
      [completed, { ...completed, minor: 700n }],
      [toCold, coin('hot wallet', cold, 700n)],
    ],
    ['each of two orders of the same amount', [completed, completed], [toCold, toCold]],
    ['nothing for an order without an answer', [unanswered], []],
    ['nothing for a pending order', [pending], []],
  ])('may receive %s', (_case, orders, moves) => {
    const { world, states } = worldOf(orders, moves)
    expect(findWrongTreasuryPayments(world, states)).toEqual([])
  })

  it.each<[string, readonly Order[], readonly FakeMove[], readonly string[]]>([
    ['an order twice', [completed], [toCold, toCold], [received(1, 2)]],
    ['nothing for a completed order', [completed], [], [received(1, 0)]],
    ['one of two orders of the same amount', [completed, completed], [toCold], [received(2, 1)]],
    ['what nobody ordered', [], [toCold], [received(0, 1)]],
    ['the money of a pending order', [pending], [toCold], [received(0, 1)]],
    ['the money of an order without an answer', [unanswered], [toCold], [received(0, 1)]],
    [
      'the money of an order that failed',
      [{ ...failed, minor: 499n }],
      [coin('hot wallet', cold, 499n)],
      [received(0, 1, '499 ethereum/ETH')],
    ],
    [
      'another amount',
      [completed],
      [coin('hot wallet', cold, 999n)],
      [received(0, 1, '999 ethereum/ETH'), received(1, 0)],
    ],
    [
      'another asset',
      [completed],
      [token('hot wallet', cold, 1_000n)],
      [received(1, 0), received(0, 1, '1000 ethereum/USDT')],
    ],
  ])('must not receive %s', (_case, orders, moves, findings) => {
    const { world, states } = worldOf(orders, moves)
    expect(findWrongTreasuryPayments(world, states)).toEqual(findings)
  })
})

describe('the cold address after a restore', () => {
  it.each<[string, readonly Order[], readonly FakeMove[]]>([
    ['a completed order once', [completed], [toCold]],
    ['nothing for a lost order', [lost], []],
    ['the money of a lost order', [lost], [toCold]],
    ['the money of an order that is pending again', [pending], [toCold]],
    ['one of two orders of the same amount, one of them lost', [completed, lost], [toCold]],
    ['both of two orders of the same amount, one of them lost', [completed, lost], [toCold, toCold]],
  ])('may receive %s', (_case, orders, moves) => {
    const { world, states } = worldOf(orders, moves, { model: { isRestored: true } })
    expect(findWrongTreasuryPayments(world, states)).toEqual([])
  })

  it.each<[string, readonly Order[], readonly FakeMove[], readonly string[]]>([
    ['a completed order twice', [completed], [toCold, toCold], [received(1, 2)]],
    ['a lost order twice', [lost], [toCold, toCold], [received(0, 2)]],
    ['nothing for a completed order', [completed], [], [received(1, 0)]],
    ['what nobody ordered', [], [toCold], [received(0, 1)]],
    ['two orders three times', [completed, lost], [toCold, toCold, toCold], [received(1, 3)]],
  ])('must not receive %s', (_case, orders, moves, findings) => {
    const { world, states } = worldOf(orders, moves, { model: { isRestored: true } })
    expect(findWrongTreasuryPayments(world, states)).toEqual(findings)
  })

  it('may receive a lost order only because of the restore', () => {
    const { world, states } = worldOf([lost], [toCold])
    const unknown = `${isWrong('unknown')}, although the API had taken it`
    expect(findWrongTreasuryPayments(world, states)).toEqual([received(0, 1), unknown])
  })
})

describe('a treasury withdrawal', () => {
  const funded = (minor: bigint) => [coin('operator', 'hot wallet', minor)]
  const inToken = (minor: bigint) => [token('operator', 'hot wallet', minor)]
  const atEnd = `${isWrong('pending')} at the end`
  it.each<[string, Order, readonly FakeMove[], readonly string[]]>([
    ['may fail if its amount is smaller than the smallest output', { ...failed, minor: 499n }, [], []],
    [
      'must not fail if it is as large',
      { ...failed, minor: 500n },
      [],
      ['a treasury withdrawal of 500 ethereum/ETH is failed'],
    ],
    ['may be unknown if the API gave no answer', unanswered, [], []],
    [
      'must not be unknown if the API answered',
      lost,
      [],
      [`${isWrong('unknown')}, although the API had taken it`],
    ],
    ['may be pending if the hot wallets hold less than twice its amount', pending, funded(1_999n), []],
    ['must not be pending if they hold twice its amount', pending, funded(2_000n), [atEnd]],
    [
      'may be pending if the money is still on the address of an invoice',
      pending,
      [coin('operator', 'invoice', 2_000n)],
      [],
    ],
    ['may be pending if they hold less than its tokens', { ...pending, asset: usdt }, inToken(999n), []],
    [
      'must not be pending if they hold its tokens',
      { ...pending, asset: usdt },
      inToken(1_000n),
      ['a treasury withdrawal of 1000 ethereum/USDT is pending at the end'],
    ],
    ['may be completed', completed, [...funded(9_000n), toCold], []],
  ])('at rest %s', (_case, order, moves, findings) => {
    const { world, states } = worldOf([order], moves)
    expect(findWrongTreasuryPayments(world, states)).toEqual(findings)
  })

  it.each<[string, Required<Changes>['model'], readonly string[]]>([
    ['after a restore', { isRestored: true }, []],
    ['after an invented payment', { isDeceived: true }, []],
    ['if a listed sender paid', { listed: ['listed'] }, []],
    ['otherwise not', {}, [atEnd]],
  ])('may be pending while the hot wallets hold its money: %s', (_case, model, findings) => {
    const { world, states } = worldOf([pending], funded(2_000n), { model })
    expect(findWrongTreasuryPayments(world, states)).toEqual(findings)
  })
})

/** A payment of 10000, which leaves the operator 100 and the merchant 9900. The operator paid in 1000. */
const paidIn = [coin('payer', 'invoice', 10_000n), coin('operator', 'hot wallet', 1_000n)]

describe('of fees the operator', () => {
  const fees = (minor: bigint, state: TreasuryWithdrawalState | undefined): Order => ({
    source: 'fees',
    minor,
    state,
  })
  const overdrawn = (minor: bigint, earnedMinor = 100n) => [
    `the operator withdraws ${minor} ethereum/ETH of fees, and earned only ${earnedMinor}`,
  ]

  it.each<[string, readonly Order[], readonly FakeMove[], readonly string[]]>([
    ['may withdraw all that it earned', [fees(100n, 'pending')], [], []],
    ['may not order more', [fees(101n, 'pending')], [], overdrawn(101n)],
    ['may not receive more', [fees(101n, 'completed')], [coin('hot wallet', cold, 101n)], overdrawn(101n)],
    ['may not order more in two orders', [fees(60n, 'pending'), fees(60n, 'pending')], [], overdrawn(120n)],
    ['may withdraw fees again if an order failed', [fees(60n, 'pending'), fees(60n, 'failed')], [], []],
    [
      'may withdraw fees if the API does not know an order',
      [fees(60n, 'pending'), fees(60n, undefined)],
      [],
      [],
    ],
    ['may withdraw capital besides', [fees(100n, 'pending'), { ...pending, minor: 900n }], [], []],
    ['may withdraw those of a second payment', [fees(101n, 'pending')], [coin('payer', 'invoice', 100n)], []],
    [
      'may not withdraw those of a payment to nobody',
      [fees(101n, 'pending')],
      [coin('payer', 'stranger', 100n)],
      overdrawn(101n),
    ],
    [
      'may not withdraw those of its own moves',
      [fees(101n, 'pending')],
      [coin('hot wallet', 'invoice', 100n)],
      overdrawn(101n),
    ],
    [
      'may not withdraw those of another asset',
      [{ ...fees(1n, 'pending'), asset: usdt }],
      [token('operator', 'hot wallet', 9n)],
      ['the operator withdraws 1 ethereum/USDT of fees, and earned only 0'],
    ],
  ])('%s', (_case, orders, moves, findings) => {
    const { world, states } = worldOf(orders, [...paidIn, ...moves])
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each<[string, Order, readonly FakeMove[], readonly string[]]>([
    [
      'may withdraw those of payments that reach the minimum',
      fees(1n, 'pending'),
      [coin('payer', 'invoice', 50n)],
      [],
    ],
    [
      'may not withdraw those of payments below the minimum',
      fees(1n, 'pending'),
      [coin('payer', 'invoice', 49n)],
      overdrawn(1n, 0n),
    ],
    [
      'may withdraw those of two payments that reach the minimum together',
      fees(2n, 'pending'),
      [coin('payer', 'invoice', 49n), coin('payer', 'invoice', 1n)],
      [],
    ],
    [
      'may not withdraw those of a listed sender',
      fees(101n, 'pending'),
      [...paidIn, coin('listed', 'invoice', 100n)],
      overdrawn(101n),
    ],
  ])('%s', (_case, order, moves, findings) => {
    const { world, states } = worldOf([order], moves, { model: { listed: ['listed'] } })
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each<[string, bigint, readonly FakeMove[], readonly string[]]>([
    ['may withdraw those of an order that is paid', 150n, [coin('hot wallet', 'recipient', 4_950n)], []],
    ['may not withdraw more', 151n, [coin('hot wallet', 'recipient', 4_950n)], overdrawn(151n, 150n)],
    ['may not withdraw those of an order that is not paid', 101n, [], overdrawn(101n)],
  ])('%s', (_case, minor, moves, findings) => {
    const { world, states } = worldOf([fees(minor, 'pending')], [...paidIn, ...moves], {
      withdrawnMinor: 5_000n,
    })
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each<[string, Required<Changes>['model']]>([
    ['after a restore', { isRestored: true }],
    ['after an invented payment', { isDeceived: true }],
  ])('may have withdrawn more %s, as the books may differ', (_case, model) => {
    const { world, states } = worldOf(
      [fees(101n, 'completed')],
      [...paidIn, coin('hot wallet', cold, 101n)],
      { model },
    )
    expect(findOverdrawn(world, states)).toEqual([])
  })
})

describe('the money of merchants is covered', () => {
  const capital = (minor: bigint, state: TreasuryWithdrawalState | undefined): Order => ({ minor, state })
  const uncovered = (leftMinor: bigint, owedMinor: bigint) => [
    `${leftMinor} ethereum/ETH are left after treasury withdrawals, and merchants have ${owedMinor}`,
  ]
  const left = (minor: bigint) => coin('hot wallet', cold, minor)
  const withdrawn = coin('hot wallet', 'recipient', 4_950n)

  it.each<[string, readonly Order[], readonly FakeMove[], readonly string[]]>([
    ['if all is ordered that is the operator’s', [capital(1_100n, 'pending')], [], []],
    ['not if more is ordered', [capital(1_101n, 'pending')], [], uncovered(9_899n, 9_900n)],
    ['if all is paid that is the operator’s', [capital(1_100n, 'completed')], [left(1_100n)], []],
    ['not if more is paid', [capital(1_101n, 'completed')], [left(1_101n)], uncovered(9_899n, 9_900n)],
    ['if an order above that failed', [capital(1_101n, 'failed')], [], []],
    ['if the API does not know an order above that', [capital(1_101n, undefined)], [], []],
    [
      'not if one order is pending and the cold address received more without an order',
      [capital(1_000n, 'pending')],
      [left(500n)],
      uncovered(9_500n, 9_900n),
    ],
    [
      'not if the cold address received the money of an order that failed',
      [capital(1_200n, 'failed')],
      [left(1_200n)],
      uncovered(9_800n, 9_900n),
    ],
    [
      'not if one of two orders of the same amount is paid and the other is pending',
      [capital(600n, 'completed'), capital(600n, 'pending')],
      [left(600n)],
      uncovered(9_800n, 9_900n),
    ],
    [
      'if another asset is ordered',
      [{ ...capital(9n, 'pending'), asset: usdt }],
      [token('operator', 'hot wallet', 9n)],
      [],
    ],
  ])('%s', (_case, orders, moves, findings) => {
    const { world, states } = worldOf(orders, [...paidIn, ...moves])
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each<[string, bigint, Changes, readonly string[]]>([
    [
      'if all is ordered that remains after a withdrawal of the merchant',
      1_150n,
      { withdrawnMinor: 5_000n },
      [],
    ],
    [
      'not if more is ordered after a withdrawal of the merchant',
      1_151n,
      { withdrawnMinor: 5_000n },
      uncovered(4_899n, 4_900n),
    ],
  ])('%s', (_case, minor, changes, findings) => {
    const { world, states } = worldOf([capital(minor, 'pending')], [...paidIn, withdrawn], changes)
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  const payment = {
    network: 'ethereum',
    recipient: 'contract',
    contract: null,
    feeMinor: 10n,
    hasFailed: true,
  }
  it.each<[string, Changes, readonly string[]]>([
    ['if the merchant bears the fee of a failed payment', { payments: [payment] }, []],
    [
      'not if the merchant would have to bear the fee of a payment that succeeded',
      { payments: [{ ...payment, hasFailed: false }] },
      uncovered(9_890n, 9_900n),
    ],
    [
      'not if the merchant would have to bear the fee of a token',
      { payments: [{ ...payment, contract: 'usdt' }] },
      uncovered(9_890n, 9_900n),
    ],
    ['if a listed sender paid, whose payment is not credited', { model: { listed: ['payer'] } }, []],
  ])('%s', (_case, changes, findings) => {
    const { world, states } = worldOf([capital(1_110n, 'pending')], paidIn, changes)
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each<[string, readonly Order[], readonly FakeMove[], readonly string[]]>([
    [
      'if all that is the operator’s was paid for a lost order',
      [capital(1_100n, undefined)],
      [left(1_100n)],
      [],
    ],
    [
      'not if more was paid for a lost order',
      [capital(1_101n, undefined)],
      [left(1_101n)],
      uncovered(9_899n, 9_900n),
    ],
    ['if an order above that is not paid', [capital(1_101n, 'pending')], [], []],
  ])('after a restore: %s', (_case, orders, moves, findings) => {
    const { world, states } = worldOf(orders, [...paidIn, ...moves], { model: { isRestored: true } })
    expect(findOverdrawn(world, states)).toEqual(findings)
  })

  it.each([
    ['one merchant', 'merchant'],
    ['another merchant', 'other merchant'],
  ])('by one payment, if a restored database gave its address again to %s', (_case, merchantId) => {
    const orders = [capital(1_100n, 'completed')]
    const { world, states } = worldOf(orders, [...paidIn, left(1_100n)], { model: { isRestored: true } })
    const [first] = world.model.shown
    world.model.shown.push({ ...required(first, 'an address'), merchantId, invoiceId: 'two' })
    expect(findOverdrawn(world, states)).toEqual([])
  })

  const stolen = coin('hot wallet', 'stranger', 1_101n)
  it.each<[string, readonly Order[], Changes, readonly string[]]>([
    ['not if somebody else received a part of it', [capital(0n, 'pending')], {}, uncovered(9_899n, 9_900n)],
    ['without a check, if the operator ordered nothing', [], {}, []],
    [
      'without a check, if the node invented a payment',
      [capital(0n, 'pending')],
      { model: { isDeceived: true } },
      [],
    ],
  ])('%s', (_case, orders, changes, findings) => {
    const { world, states } = worldOf(orders, [...paidIn, stolen], changes)
    expect(findOverdrawn(world, states)).toEqual(findings)
  })
})

it('a state that the model does not know is an error', () => {
  const { world, states } = worldOf([{ state: 'cancelled' as TreasuryWithdrawalState }], [])
  const message = 'the model does not know the state cancelled of treasury withdrawals'
  expect(() => findOverdrawn(world, states)).toThrow(message)
  expect(() => findWrongTreasuryPayments(world, states)).toThrow(message)
})
