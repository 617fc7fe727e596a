/** The debts of merchants by the chain: they were paid more than came, because a reorganisation dropped a payment. */
import { max } from '../../src/core/money.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { CheckedWorld, OrderState } from '../model/checked-world.ts'
import { chargeOf } from '../model/costs.ts'
import { creditsOf, isOf } from '../model/model.ts'
import type { ModelOrder } from '../model/order.ts'

type OrderStates = ReadonlyMap<string, OrderState>

/** Returns how much a merchant owes: its orders that the chain shows as paid, less what came for it. */
export function owedMinor(
  world: CheckedWorld,
  orders: OrderStates,
  merchantId: string,
  asset: ModelAsset,
): bigint {
  const { model, transfers, payments } = world
  const spentMinor = model.orders
    .filter((order) => order.merchantId === merchantId && order.asset === asset)
    .reduce((total, order) => {
      const isPaid = transfers.some(
        (one) => one.isFromUs && one.recipient === order.address && isOf(asset, one),
      )
      const charged = chargeOf(order, orders.get(order.id) ?? 'unknown', payments)
      return total + (isPaid ? order.amountMinor : charged)
    }, 0n)
  return max(0n, spentMinor - (creditsOf(model, asset, transfers).get(merchantId) ?? 0n))
}

/** Returns the pending orders that may wait, because no order of a merchant leaves as long as it owes anything. */
export function findFrozen(world: CheckedWorld, orders: OrderStates): ReadonlySet<ModelOrder> {
  const { model, assets } = world
  const owing = model.merchants.filter((merchantId) =>
    assets.some((asset) => owedMinor(world, orders, merchantId, asset) > 0n),
  )
  return new Set(model.orders.filter(({ merchantId }) => owing.includes(merchantId)))
}
