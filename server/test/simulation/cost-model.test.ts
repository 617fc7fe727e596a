/** Tests what the simulation's model expects to be charged to orders that failed on the chain. */
import { describe, expect, it } from 'vitest'
import type { ModelAsset } from '../../simulation/model/asset.ts'
import type { CheckedWorld, OrderState, OurPayment } from '../../simulation/model/checked-world.ts'
import { chargeOf, findCostly, findWrongCharges, mostChargeOf } from '../../simulation/model/costs.ts'
import { Model } from '../../simulation/model/model.ts'
import type { ModelOrder } from '../../simulation/model/order.ts'
import type { PriceReading } from '../../simulation/prices/price-reading.ts'
import { findOverdrawn } from '../../simulation/treasury/check-treasury.ts'
import { FakeChain, type FakeMove } from '../../src/chains/fake/fake-chain.ts'
import { modelCoin } from './model-coin.ts'

const eth = modelCoin('base/ETH', { decimals: 18 })
const usdc = modelCoin('base/USDC', { methodId: 21, contract: 'usdc', decimals: 6, isStable: true })
const plain: ModelAsset = { ...usdc, isPlain: true }

const orderMs = 1_000_000
const orderIn = (asset: ModelAsset, changes: Partial<ModelOrder> = {}): ModelOrder => ({
  id: 'order',
  merchantId: 'anna',
  asset,
  address: 'recipient',
  amountMinor: 10n ** 18n,
  requestedMs: orderMs,
  isAnswered: true,
  isCancelled: false,
  ...changes,
})

/** A reading of the price of ETH in USD. USDC costs 1 USD. */
const reading = (ethUsd: bigint, storedMs: number | undefined = orderMs): PriceReading => ({
  askedMs: 0,
  storedMs,
  pricesUsd: new Map([
    ['ETH', ethUsd * 10n ** 12n],
    ['USDC', 10n ** 12n],
  ]),
})

interface Changes {
  readonly readings?: readonly PriceReading[]
  /** What the service reports to have charged. */
  readonly reportedMinor?: bigint
  readonly payment?: Partial<OurPayment>
}

/** Returns a world in which the payment of the order failed for a fee of 0.00001 ETH. */
function worldOf(order: ModelOrder, changes: Changes = {}): CheckedWorld {
  const { readings = [reading(2_000n)], reportedMinor, payment } = changes
  const model = new Model()
  model.merchants.push('anna')
  model.orders.push(order)
  model.readings.push(...readings)
  const failed: OurPayment = {
    network: 'base',
    recipient: 'recipient',
    contract: order.asset.contract,
    feeMinor: 10n ** 13n,
    hasFailed: true,
    ...payment,
  }
  return {
    model,
    assets: [eth, order.asset],
    chains: [],
    ours: new Set(),
    transfers: [],
    payments: [failed],
    charges: new Map(reportedMinor === undefined ? [] : [['order', reportedMinor]]),
  }
}

function chargeIn(asset: ModelAsset, changes: Changes = {}, order: Partial<ModelOrder> = {}): bigint {
  const placed = orderIn(asset, order)
  return chargeOf(worldOf(placed, changes), placed, 'failed')
}

/** Returns what is wrong with the charge that the service reports. */
function wrongIn(asset: ModelAsset, changes: Changes, state: OrderState = 'failed'): readonly string[] {
  return findWrongCharges(worldOf(orderIn(asset), changes), new Map([['order', state]]))
}

describe('the charge of an order that failed', () => {
  it('is the fee in the coin, rounded up to eight places, and at most the amount', () => {
    expect(chargeIn(eth)).toBe(10n ** 13n)
    expect(chargeIn(eth, { payment: { feeMinor: 10n ** 13n + 1n } })).toBe(10n ** 13n + 10n ** 10n)
    expect(chargeIn(eth, {}, { amountMinor: 5n })).toBe(5n)
  })

  it('is the fee at the price of the token, rounded up, and at most the amount', () => {
    expect(chargeIn(usdc)).toBe(20_000n)
    expect(chargeIn(usdc, { payment: { feeMinor: 10n ** 13n + 1n } })).toBe(20_001n)
    expect(chargeIn(usdc, {}, { amountMinor: 5n })).toBe(5n)
  })

  it('is nothing in a plain token', () => {
    expect(chargeIn(plain)).toBe(0n)
  })

  it.each<[string, Changes]>([
    ['the payment succeeded', { payment: { hasFailed: false } }],
    ['another network contains the failed payment', { payment: { network: 'ethereum' } }],
    ['the failed payment was in another asset', { payment: { contract: 'dai' } }],
    ['the failed payment went to another recipient', { payment: { recipient: 'other' } }],
  ])('is nothing if %s', (_case, changes) => {
    expect(chargeIn(eth, changes)).toBe(0n)
    expect(chargeIn(usdc, changes)).toBe(0n)
  })

  it.each<OrderState>(['pending', 'completed', 'cancelled', 'rejected', 'unknown'])(
    'is nothing as long as the order is %s',
    (state) => {
      const order = orderIn(usdc)
      expect(chargeOf(worldOf(order), order, state)).toBe(0n)
    },
  )

  it('is the one that the service reports, if the prices allow it', () => {
    const readings = [reading(2_000n), reading(2_500n)]
    expect(chargeIn(usdc, { readings, reportedMinor: 25_000n })).toBe(25_000n)
    expect(chargeIn(usdc, { readings, reportedMinor: 20_000n })).toBe(20_000n)
    // Between the two prices there was none.
    expect(chargeIn(usdc, { readings, reportedMinor: 22_000n })).toBe(20_000n)
    expect(mostChargeOf(worldOf(orderIn(usdc), { readings }), orderIn(usdc))).toBe(25_000n)
  })

  it('is not at a price that was too old when the order was requested', () => {
    const old = (agoMs: number) => [reading(2_000n), reading(1_000n, orderMs - agoMs)]
    expect(chargeIn(usdc, { readings: old(90_001) })).toBe(20_000n)
    expect(chargeIn(usdc, { readings: old(90_000) })).toBe(10_000n)
  })
})

describe('the charge that the service reports', () => {
  it.each<[string, ModelAsset, Changes]>([
    ['the fee in the coin', eth, { reportedMinor: 10n ** 13n }],
    ['the fee in the token', usdc, { reportedMinor: 20_000n }],
    ['nothing in a plain token', plain, {}],
  ])('is right: %s', (_case, asset, changes) => {
    expect(wrongIn(asset, changes)).toEqual([])
  })

  it.each<[string, ModelAsset, Changes]>([
    ['nothing in the coin', eth, {}],
    ['too much in the coin', eth, { reportedMinor: 2n * 10n ** 13n }],
    ['nothing in the token', usdc, {}],
    ['too much in the token', usdc, { reportedMinor: 20_001n }],
    ['anything in a plain token', plain, { reportedMinor: 20_000n }],
  ])('is wrong: %s', (_case, asset, changes) => {
    expect(wrongIn(asset, changes)).toHaveLength(1)
  })

  it('is wrong if the order did not fail', () => {
    expect(wrongIn(usdc, { reportedMinor: 20_000n }, 'completed')).toEqual([
      `order of ${10n ** 18n} base/USDC is completed and was charged 20000, and should be charged 0`,
    ])
  })
})

/** Returns whether the orders of the merchant cost the operator too much. */
function isCostly(asset: ModelAsset, state: OrderState): boolean {
  const feeMinor = 26n * 10n ** 16n
  const reportedMinor = asset.contract === null ? feeMinor : 520_000_000n
  const world = worldOf(orderIn(asset), { reportedMinor, payment: { feeMinor } })
  const chain = {
    network: 'base',
    chain: new FakeChain(),
    hotWallets: [],
    lost: [],
    feeTerms: undefined,
    firstMinedMs: () => 0,
  }
  return findCostly({ ...world, chains: [chain] }, new Map([['order', state]])).length > 0
}

it('counts a charge in a token against the budget as the fee that it covers', () => {
  expect(isCostly(usdc, 'failed')).toBe(false)
  expect(isCostly(usdc, 'pending')).toBe(true)
  expect(isCostly(eth, 'failed')).toBe(false)
  expect(isCostly(plain, 'failed')).toBe(true)
})

describe('the operator', () => {
  /**
   * Returns what is wrong if the operator withdraws this much of its fees in the token. The merchant received 1,000,000,
   * of which 890,000 are credited.
   */
  function overdrawnWith(takenMinor: bigint, asset: ModelAsset, reportedMinor: bigint | undefined) {
    const asked = { id: 'fees', asset, amountMinor: takenMinor, source: 'fees', isAnswered: true } as const
    const world = worldOf(orderIn(asset), reportedMinor === undefined ? {} : { reportedMinor })
    const { model } = world
    model.treasuryOrders.push(asked)
    model.shown.push({
      merchantId: 'anna',
      invoiceId: 'invoice',
      address: 'address',
      methodId: asset.methodId,
      network: 'base',
      amountUsd: '1',
      amountMinor: 1_000_000n,
      expiresMs: 0,
      requestedMs: 0,
      answeredMs: 0,
    })
    const sent = { sender: 'payer', recipient: 'address', amountMinor: 1_000_000n }
    const chain = new FakeChain()
    const move: FakeMove = { asset: { type: 'token', contract: 'usdc' }, ...sent }
    chain.mine([chain.transaction([move])])
    const transfer = { network: 'base', txHash: 'tx', contract: 'usdc', isFromUs: false, ...sent }
    const checked = {
      network: 'base',
      chain,
      hotWallets: [],
      lost: [],
      feeTerms: undefined,
      firstMinedMs: () => 0,
    }
    const filled = { ...world, ours: new Set(['address']), transfers: [transfer], chains: [checked] }
    return findOverdrawn(filled, new Map([['fees', 'pending']]))
  }

  it('earns the fee of the payment, and the charge of an order in a token', () => {
    expect(overdrawnWith(130_000n, usdc, 20_000n)).toEqual([])
    expect(overdrawnWith(130_001n, usdc, 20_000n)).toHaveLength(2)
  })

  it('earns no charge that was not made, and none in a plain token', () => {
    expect(overdrawnWith(110_000n, usdc, undefined)).toEqual([])
    expect(overdrawnWith(110_001n, usdc, undefined)).toHaveLength(1)
    expect(overdrawnWith(110_000n, plain, 20_000n)).toEqual([])
    expect(overdrawnWith(110_001n, plain, 20_000n)).toHaveLength(2)
  })
})
