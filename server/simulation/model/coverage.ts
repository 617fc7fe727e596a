/** Finds the orders that may stay pending, because the money that would cover them must not move. */
import { sum } from '../../src/core/money.ts'
import type { CheckedWorld, OrderState } from './checked-world.ts'
import { chargeOf } from './costs.ts'
import { creditsOf, feeOf, isOf } from './model.ts'
import type { ModelOrder } from './order.ts'
import type { TrueTransfer } from './true-transfer.ts'

/**
 * Returns the pending orders that may wait, because the available money of their merchant does not cover them or an
 * older order. A listed sender has paid to an address of the merchant, so all money at this address must stay
 * there. The money of other merchants must not pay these orders either.
 */
export function findUncovered(
  world: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): ReadonlySet<ModelOrder> {
  const { model, assets, transfers, payments } = world
  const uncovered = new Set<ModelOrder>()
  if (model.listed.size === 0) return uncovered
  const suspect = new Set(
    transfers.filter(({ sender }) => model.listed.has(sender)).map(({ recipient }) => recipient),
  )
  for (const asset of assets) {
    const credits = creditsOf(model, asset, transfers)
    for (const merchantId of model.merchants) {
      const own = model.orders.filter((one) => one.merchantId === merchantId && one.asset === asset)
      const isIn = (order: ModelOrder, state: OrderState) => orders.get(order.id) === state
      const stuckMinor = sum(transfers.filter((one) => isOf(asset, one) && isStuck(one)).map(netOf))
      const spentMinor = sum(
        own.map((order) =>
          isIn(order, 'completed')
            ? order.amountMinor
            : chargeOf(order, orders.get(order.id) ?? 'unknown', payments),
        ),
      )
      const pending = own.filter((order) => isIn(order, 'pending'))
      const freeMinor = (credits.get(merchantId) ?? 0n) - spentMinor - stuckMinor
      if (stuckMinor > 0n) for (const order of afterCovered(pending, freeMinor)) uncovered.add(order)

      function isStuck({ recipient, sender }: TrueTransfer): boolean {
        const isOwn = model.shown.some((one) => one.merchantId === merchantId && one.address === recipient)
        return isOwn && suspect.has(recipient) && !model.listed.has(sender)
      }
      function netOf({ amountMinor }: TrueTransfer): bigint {
        return amountMinor - feeOf(amountMinor, asset)
      }
    }
  }
  return uncovered
}

/** Returns the orders from the first one that the money does not cover. Orders are covered whole, oldest first. */
export function afterCovered(oldestFirst: readonly ModelOrder[], freeMinor: bigint): readonly ModelOrder[] {
  let leftMinor = freeMinor
  const first = oldestFirst.findIndex(({ amountMinor }) => {
    leftMinor -= amountMinor
    return leftMinor < 0n
  })
  return first === -1 ? [] : oldestFirst.slice(first)
}
