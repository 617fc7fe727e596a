/** The network fees that the operator pays for orders, and the part of them that the merchant bears. */
import { divide, min, sum } from '../../src/core/money.ts'
import { mayBeFresh, symbolOf } from '../prices/valuation.ts'
import type { ModelAsset } from './asset.ts'
import type { CheckedWorld, OrderState, OurPayment } from './checked-world.ts'
import type { ModelOrder } from './order.ts'
import { isTamperedOrder } from './tampering.ts'

/** Limit of the network fees of one merchant's payments on a network in a day: the default budget, 0.25 ETH. */
const budgetMinor = 25n * 10n ** 16n
/** Balances have at most this many decimal places, but ETH has eighteen. Charges are rounded up to these places. */
const decimalsMax = 8

/** What decides the charge of an order. */
export type ChargedWorld = Pick<CheckedWorld, 'model' | 'assets' | 'payments' | 'charges'>

/**
 * Returns the network fee that is charged to an order because its payment failed, in the asset of the order. A payment
 * in ETH fails only because of its recipient, so the order bears the fee. So does an order in a token, unless the token
 * is plain. The fee is then converted at prices that the service stored when it planned the payment. The model does not
 * know that moment, so the charge is the one that the service reports, if it is possible.
 */
export function chargeOf(world: ChargedWorld, order: ModelOrder, state: OrderState): bigint {
  if (state !== 'failed') return 0n
  const [least, ...others] = possibleCharges(world, order)
  return others.find((minor) => minor === world.charges.get(order.id)) ?? least
}

/** Returns the most that may be charged to an order if its payments on the chain that failed are charged. */
export function mostChargeOf(world: ChargedWorld, order: ModelOrder): bigint {
  return possibleCharges(world, order).reduce((most, minor) => (minor > most ? minor : most))
}

/** Checks the charges that the service reports. An attacker may have changed the row of an order. */
export function findWrongCharges(
  world: ChargedWorld,
  orders: ReadonlyMap<string, OrderState>,
): readonly string[] {
  return world.model.orders.flatMap((order) => {
    const reportedMinor = world.charges.get(order.id) ?? 0n
    const state = orders.get(order.id) ?? 'unknown'
    if (reportedMinor === chargeOf(world, order, state) || isTamperedOrder(world.model, order.id)) return []
    const possible = state === 'failed' ? possibleCharges(world, order) : [0n]
    const what = `order of ${order.amountMinor} ${order.asset.name} is ${state}`
    return [`${what} and was charged ${reportedMinor}, and should be charged ${possible.join(' or ')}`]
  })
}

/** Returns the charges that a failed order may have, the least first. */
function possibleCharges(world: ChargedWorld, order: ModelOrder): readonly [bigint, ...bigint[]] {
  const { amountMinor, asset } = order
  const feeMinor = failedFeeOf(order, world.payments)
  if (feeMinor === 0n) return [0n]
  if (asset.contract === null) return [min(amountMinor, roundedUp(feeMinor, asset))]
  const coin = world.assets.find(({ network, contract }) => network === asset.network && contract === null)
  if (asset.isPlain || coin === undefined) return [0n]
  const charges = pricesAtPlanning(world, order, coin).map(({ coinUsd, assetUsd }) => {
    const priced = feeMinor * coinUsd * 10n ** BigInt(asset.decimals)
    const minor = divide(priced, assetUsd * 10n ** BigInt(coin.decimals), 'up')
    return min(amountMinor, roundedUp(minor, asset))
  })
  const [least = 0n, ...others] = [...new Set(charges)].sort((a, b) => (a < b ? -1 : 1))
  return [least, ...others]
}

/** Returns all pairs of prices that the service may have stored when it planned the payment of an order. */
function pricesAtPlanning({ model }: ChargedWorld, { asset, requestedMs }: ModelOrder, coin: ModelAsset) {
  const readings = model.readings.filter((reading) => mayBeFresh(reading, requestedMs))
  const pricesOf = (one: ModelAsset) => [
    ...new Set(readings.flatMap(({ pricesUsd }) => pricesUsd.get(symbolOf(one)) ?? [])),
  ]
  return pricesOf(coin).flatMap((coinUsd) => pricesOf(asset).map((assetUsd) => ({ coinUsd, assetUsd })))
}

function failedFeeOf(order: ModelOrder, payments: readonly OurPayment[]): bigint {
  return sum(
    payments.filter((payment) => payment.hasFailed && pays(order, payment)).map(({ feeMinor }) => feeMinor),
  )
}

function roundedUp(minor: bigint, { decimals }: ModelAsset): bigint {
  const stepMinor = 10n ** BigInt(Math.max(0, decimals - decimalsMax))
  return divide(minor, stepMinor, 'up') * stepMinor
}

/**
 * Returns the part of the network fees of an order that its merchant bore, in the network's coin. The charge of an order
 * in a token covers the whole fee: a payment whose amount does not cover it is not sent.
 */
function borneMinor(world: ChargedWorld, order: ModelOrder, state: OrderState): bigint {
  const chargedMinor = chargeOf(world, order, state)
  if (order.asset.contract === null || chargedMinor === 0n) return chargedMinor
  return failedFeeOf(order, world.payments)
}

/**
 * Checks that the orders of each merchant on a network cost the operator at most the budget of each simulated day,
 * added up over the run. This must hold for any recipients.
 */
export function findCostly(world: CheckedWorld, orders: ReadonlyMap<string, OrderState>): readonly string[] {
  return world.chains.flatMap(({ network }) => findCostlyOn(world, orders, network))
}

function findCostlyOn(
  world: ChargedWorld,
  orders: ReadonlyMap<string, OrderState>,
  network: string,
): readonly string[] {
  const { model, payments } = world
  return model.merchants.flatMap((merchantId, index) => {
    const own = model.orders.filter(
      (order) => order.merchantId === merchantId && order.asset.network === network,
    )
    const chargedMinor = sum(own.map((order) => borneMinor(world, order, orders.get(order.id) ?? 'unknown')))
    const feesMinor = payments
      .filter((payment) => own.some((order) => pays(order, payment)))
      .reduce((total, { feeMinor }) => total + feeMinor, 0n)
    if (feesMinor - chargedMinor <= budgetMinor * BigInt(1 + model.days)) return []
    return [
      `the payments of merchant ${index + 1} on ${network} cost ${feesMinor}, of which it bore ${chargedMinor}`,
    ]
  })
}

function pays(
  { address, asset: { network, contract } }: ModelOrder,
  payment: Pick<OurPayment, 'network' | 'recipient' | 'contract'>,
): boolean {
  return payment.recipient === address && payment.network === network && payment.contract === contract
}
