/**
 * Computes the debts of merchants from the chain. A merchant owes what was paid for its orders beyond its credits,
 * because a reorganisation dropped a payment.
 */
import { max } from '../../src/core/money.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { CheckedWorld, OrderState } from '../model/checked-world.ts'
import { chargeOf } from '../model/costs.ts'
import { afterCovered } from '../model/coverage.ts'
import { creditsOf, isOf } from '../model/model.ts'
import type { ModelOrder } from '../model/order.ts'

type OrderStates = ReadonlyMap<string, OrderState>

/** Returns how much a merchant owes: its paid orders and the charges of failed ones, less its credits on the chain. */
export function owedMinor(
  world: CheckedWorld,
  orders: OrderStates,
  merchantId: string,
  asset: ModelAsset,
): bigint {
  return max(0n, -freeMinor(world, orders, merchantId, asset))
}

/** Returns a merchant's credits on the chain, less its paid orders and the charges of failed ones. */
function freeMinor(world: CheckedWorld, orders: OrderStates, merchantId: string, asset: ModelAsset): bigint {
  const { model, transfers } = world
  const spentMinor = model.orders
    .filter((order) => order.merchantId === merchantId && order.asset === asset)
    .reduce((total, order) => {
      const isPaid = transfers.some(
        (one) => one.isFromUs && one.recipient === order.address && isOf(asset, one),
      )
      const charged = chargeOf(world, order, orders.get(order.id) ?? 'unknown')
      return total + (isPaid ? order.amountMinor : charged)
    }, 0n)
  return (creditsOf(model, asset, transfers).get(merchantId) ?? 0n) - spentMinor
}

/**
 * Returns the pending orders that may wait after a reorganisation dropped payments: all orders of a merchant that owes
 * anything, and the orders that the remaining payments do not cover.
 */
export function findFrozen(world: CheckedWorld, orders: OrderStates): ReadonlySet<ModelOrder> {
  const { model, assets } = world
  if (model.takenBack.size === 0) return new Set()
  const owing = model.merchants.filter((merchantId) =>
    assets.some((asset) => owedMinor(world, orders, merchantId, asset) > 0n),
  )
  const frozen = model.orders.filter(({ merchantId }) => owing.includes(merchantId))
  const uncovered = assets.flatMap((asset) =>
    model.merchants.flatMap((merchantId) => {
      const pending = model.orders.filter(
        (one) => one.merchantId === merchantId && one.asset === asset && orders.get(one.id) === 'pending',
      )
      return afterCovered(pending, freeMinor(world, orders, merchantId, asset))
    }),
  )
  return new Set([...frozen, ...uncovered])
}
