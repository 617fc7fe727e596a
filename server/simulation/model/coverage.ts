/** Finds the orders that may stay pending, because the money that would cover them cannot move. */
import { sum } from '../../src/core/money.ts'
import type { ModelAsset } from './asset.ts'
import type { CheckedWorld, OrderState } from './checked-world.ts'
import { chargeOf } from './costs.ts'
import { creditedPayments, creditsOf, feeOf } from './model.ts'
import type { ModelOrder } from './order.ts'
import { unspentOutputs } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** The size of an input that spends an output of a deposit address, in virtual bytes. */
const inputVbytes = 68n

/**
 * Returns the pending orders that may wait, because the available money of their merchant does not cover them or an
 * older order. Money that must stay where it is (`stuckIn`) is not available, and the money of other merchants must not
 * pay these orders.
 */
export function findUncovered(
  world: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): ReadonlySet<ModelOrder> {
  const { model, assets, transfers } = world
  const uncovered = new Set<ModelOrder>()
  for (const asset of assets) {
    const stuck = stuckIn(world, asset)
    if (stuck.size === 0) continue
    const credits = creditsOf(model, asset, transfers)
    for (const [merchantId, stuckMinor] of stuck) {
      const own = model.orders.filter((one) => one.merchantId === merchantId && one.asset === asset)
      const isIn = (order: ModelOrder, state: OrderState) => orders.get(order.id) === state
      const spentMinor = sum(
        own.map((order) =>
          isIn(order, 'completed')
            ? order.amountMinor
            : chargeOf(world, order, orders.get(order.id) ?? 'unknown'),
        ),
      )
      const pending = own.filter((order) => isIn(order, 'pending'))
      const freeMinor = (credits.get(merchantId) ?? 0n) - spentMinor - stuckMinor
      for (const order of afterCovered(pending, freeMinor)) uncovered.add(order)
    }
  }
  return uncovered
}

/** Returns what each merchant was credited for money that must stay where it is. Merchants without any are left out. */
function stuckIn(world: CheckedWorld, asset: ModelAsset): ReadonlyMap<string, bigint> {
  const stuck = new Map<string, bigint>()
  for (const { merchantId, payments } of creditedPayments(world.model, asset, world.transfers)) {
    const recipients = new Set(payments.map(({ recipient }) => recipient))
    const amounts = [...atListedAddresses(world, payments), ...smallOutputs(world, asset, recipients)]
    const stuckMinor = sum(amounts.map(({ amountMinor }) => amountMinor - feeOf(amountMinor, asset)))
    if (stuckMinor > 0n) stuck.set(merchantId, (stuck.get(merchantId) ?? 0n) + stuckMinor)
  }
  return stuck
}

/**
 * Returns the payments to addresses that a listed sender paid too. All money at such an address must stay there.
 * Money at the same address on another network may move.
 */
function atListedAddresses(
  { model, transfers }: CheckedWorld,
  payments: readonly TrueTransfer[],
): readonly TrueTransfer[] {
  if (model.listed.size === 0) return []
  const placeOf = ({ network, recipient }: TrueTransfer) => `${network} ${recipient}`
  const suspect = new Set(transfers.filter(({ sender }) => model.listed.has(sender)).map(placeOf))
  return payments.filter((payment) => suspect.has(placeOf(payment)))
}

/**
 * Returns the unspent outputs that are too small to spend at the usual fee rate, which the node estimates at rest. The
 * fee for spending such an output is more than half of its amount.
 */
function smallOutputs(
  { chains }: CheckedWorld,
  asset: ModelAsset,
  recipients: ReadonlySet<string>,
): readonly { readonly amountMinor: bigint }[] {
  return chains.flatMap(({ network, chain, feeTerms }) => {
    if (network !== asset.network || feeTerms === undefined) return []
    const leastMinor = (2n * inputVbytes * feeTerms.usualRate) / 1_000n
    return unspentOutputs(chain.transactionsUpTo(chain.head.height)).filter(
      ({ recipient, amountMinor }) => recipients.has(recipient) && amountMinor < leastMinor,
    )
  })
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
