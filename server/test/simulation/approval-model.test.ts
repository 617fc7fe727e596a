/** Tests which orders the model of the simulation lets leave or wait, where orders above a limit need an operator. */
import { expect, it } from 'vitest'
import { Approvals } from '../../simulation/model/approvals.ts'
import { findWaiting, findWrongApprovals } from '../../simulation/model/check-approvals.ts'
import type { CheckedWorld, OrderState } from '../../simulation/model/checked-world.ts'
import { Model } from '../../simulation/model/model.ts'
import type { ModelOrder } from '../../simulation/model/order.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { modelCoin } from './model-coin.ts'

const hourMs = 3_600_000

const asset = modelCoin('ethereum/USDT', { contract: 'usdt', decimals: 6, isStable: true })

/** An order of an amount in USD, with the hours in which it was requested and mined. */
interface Case {
  readonly usd: number
  readonly state: OrderState
  readonly requested?: number
  readonly mined?: number
  readonly merchantId?: string
  readonly address?: string
  /** The hour in which the operator asked to approve the order. */
  readonly approved?: number
}

/** Returns a world with these orders, whose approval limit is 50 USD. */
function worldOf(cases: readonly Case[]) {
  const model = new Model()
  const approvals = new Approvals(50n * 10n ** 8n, new Map([[asset.name, 10n ** 12n]]))
  model.approvals = approvals
  const minedMs = new Map<string, number>()
  for (const [index, { usd, requested = 0, approved, ...rest }] of cases.entries()) {
    const id = String(index)
    const { merchantId = 'merchant', address = id } = rest
    const amountMinor = BigInt(Math.round(usd * 1e6))
    const base = { id, merchantId, asset, address, amountMinor, requestedMs: requested * hourMs }
    const order: ModelOrder = { ...base, isAnswered: true, isCancelled: false }
    model.orders.push(order)
    if (approved !== undefined)
      Object.assign(approvals.recordOf(order), { approvalAskedMs: approved * hourMs, isApproved: true })
    if (rest.mined !== undefined) minedMs.set(id, rest.mined * hourMs)
  }
  const paid = model.orders.filter(({ id }) => minedMs.has(id))
  const world: CheckedWorld = {
    model,
    assets: [asset],
    chains: [
      {
        network: 'ethereum',
        chain: new FakeChain({ genesisAt: new Date(0) }),
        hotWallets: [],
        lost: [],
        feeTerms: undefined,
        firstMinedMs: (txHash) => minedMs.get(txHash) ?? 0,
      },
    ],
    ours: new Set(),
    transfers: paid.map(({ id, address, amountMinor }) => ({
      network: 'ethereum',
      txHash: id,
      contract: asset.contract,
      sender: 'hot wallet',
      isFromUs: true,
      recipient: address,
      amountMinor,
    })),
    payments: [],
    charges: new Map(),
  }
  return { world, states: new Map(cases.map(({ state }, index) => [String(index), state])) }
}

const done = { state: 'completed', mined: 1 } as const

it.each<[string, readonly Case[], number]>([
  ['an order of exactly the limit', [{ usd: 50, ...done }], 0],
  ['an order above the limit', [{ usd: 50.01, ...done }], 1],
  ['one that was approved before it left', [{ usd: 60, approved: 0, ...done }], 0],
  ['one that was approved after it left', [{ usd: 60, approved: 2, ...done }], 1],
  [
    'two orders of a day',
    [
      { usd: 30, ...done },
      { usd: 30, ...done, requested: 1, mined: 20 },
    ],
    1,
  ],
  [
    'two orders, one of them approved',
    [
      { usd: 30, ...done },
      { usd: 30, approved: 0, ...done },
    ],
    0,
  ],
  [
    'two orders of two days',
    [
      { usd: 30, ...done },
      { usd: 30, ...done, requested: 25, mined: 26 },
    ],
    0,
  ],
  [
    'two orders of two merchants',
    [
      { usd: 30, ...done },
      { usd: 30, ...done, merchantId: 'other' },
    ],
    0,
  ],
])('finds what left without an operator: %s', (_case, cases, findings) => {
  const { world, states } = worldOf(cases)
  expect(findWrongApprovals(world, states)).toHaveLength(findings)
})

it('finds two orders of two merchants to one destination', () => {
  const to = { ...done, address: 'shared' }
  const { world, states } = worldOf([
    { usd: 30, ...to },
    { usd: 30, ...to, merchantId: 'other' },
  ])
  expect(findWrongApprovals(world, states)).toHaveLength(1)
})

it('finds an order that was rejected and not ended', () => {
  const { world, states } = worldOf([{ usd: 60, state: 'pending' }])
  for (const order of world.model.orders)
    Object.assign(world.model.approvals?.recordOf(order) ?? {}, { isRejected: true })
  expect(findWrongApprovals(world, states)).toHaveLength(1)
})

const pending = { state: 'pending', requested: 2 } as const

it.each<[string, readonly Case[], readonly string[]]>([
  ['an order of exactly the limit', [{ usd: 50, ...pending }], []],
  ['an order above the limit', [{ usd: 50.01, ...pending }], ['0']],
  ['one that was approved', [{ usd: 60, approved: 3, ...pending }], []],
  [
    'one after another order of its day',
    [
      { usd: 30, ...done },
      { usd: 30, ...pending },
    ],
    ['1'],
  ],
  [
    'one a day after another order',
    [
      { usd: 30, ...done },
      { usd: 30, state: 'pending', requested: 25 },
    ],
    [],
  ],
  [
    'one after an order that an operator had to approve',
    [
      { usd: 60, approved: 0, ...done },
      { usd: 30, ...pending },
    ],
    [],
  ],
  [
    'one after an order that was cancelled',
    [
      { usd: 30, state: 'cancelled' },
      { usd: 30, ...pending },
    ],
    ['1'],
  ],
  [
    'two that together are above the limit',
    [
      { usd: 30, ...pending },
      { usd: 30, ...pending },
    ],
    [],
  ],
])('lets wait what needs an operator: %s', (_case, cases, waiting) => {
  const { world, states } = worldOf(cases)
  expect([...findWaiting(world, states)].map(({ id }) => id)).toEqual(waiting)
})

it('counts a pending order that only lacks gas, because it may have left the queue', () => {
  const { world, states } = worldOf([
    { usd: 30, ...pending },
    { usd: 30, ...pending },
  ])
  world.model.withoutCapital = { network: 'ethereum', fromMs: 0 }
  expect([...findWaiting(world, states)].map(({ id }) => id)).toEqual(['0', '1'])
})
