/**
 * Checks the treasury withdrawals. The operator may withdraw only its own money, which is computed from the chain: the
 * capital that it paid in and the fees that it earned, less the network fees.
 */
import { sum } from '../../src/core/money.ts'
import { totalOf } from '../model/amounts.ts'
import type { ModelAsset } from '../model/asset.ts'
import { areBooksOpen } from '../model/check.ts'
import type { CheckedWorld, OurPayment } from '../model/checked-world.ts'
import { chargeOf, mostChargeOf } from '../model/costs.ts'
import { type Crediting, creditedPayments, creditsOf, feeOf, isOf } from '../model/model.ts'
import type { TrueTransfer } from '../model/true-transfer.ts'
import { isCreditedOnRequest, isOnWrongNetwork } from '../wrong-network/credit-request.ts'
import { coldAddresses } from './cold-addresses.ts'
import { heldMinor } from './held-money.ts'
import type { ModelTreasuryOrder, TreasuryStates } from './treasury-order.ts'

/** Returns one sentence for each treasury withdrawal at the end of a run that was not paid as its state says. */
export function findWrongTreasuryPayments(world: CheckedWorld, states: TreasuryStates): readonly string[] {
  const { model, assets } = world
  return [
    ...assets.flatMap((asset) => comparePaid(world, asset, states)),
    ...(model.isRestored
      ? []
      : model.treasuryOrders.flatMap((order) => findWrongState(world, order, states))),
  ]
}

/**
 * Checks that the cold address received the amount of each completed order once, and nothing else. Orders of the same
 * amount are not distinguished. After a restore, the service may not know that an order was paid.
 */
function comparePaid(world: CheckedWorld, asset: ModelAsset, states: TreasuryStates): readonly string[] {
  const orders = world.model.treasuryOrders.filter((order) => order.asset === asset)
  const paid = paidToCold(world, asset).map(({ amountMinor }) => amountMinor)
  const amounts = new Set([...paid, ...orders.map(({ amountMinor }) => amountMinor)])
  return [...amounts].flatMap((amountMinor) => {
    const same = orders.filter((order) => order.amountMinor === amountMinor)
    const completed = same.filter(({ id }) => states.get(id) === 'completed').length
    const times = paid.filter((minor) => minor === amountMinor).length
    const isRight = world.model.isRestored ? completed <= times && times <= same.length : times === completed
    if (isRight) return []
    return [
      `${completed} treasury withdrawals of ${amountMinor} ${asset.name} are completed, and the cold address received ${times}`,
    ]
  })
}

/** Checks the state of an order. An order may fail only if nodes do not relay so small an output. */
function findWrongState(
  world: CheckedWorld,
  { id, asset, amountMinor, isAnswered }: ModelTreasuryOrder,
  states: TreasuryStates,
): readonly string[] {
  const state = states.get(id)
  const what = `a treasury withdrawal of ${amountMinor} ${asset.name} is ${state ?? 'unknown'}`
  switch (state) {
    case undefined:
      return isAnswered ? [`${what}, although the API had taken it`] : []
    case 'failed':
      return amountMinor < asset.dustMinor ? [] : [what]
    case 'pending': {
      const isStuck = !areBooksOpen(world.model) && canBePaid(world, asset, amountMinor)
      return isStuck ? [`${what} at the end`] : []
    }
    case 'completed':
      return []
    default:
      throw unknownState(state)
  }
}

/**
 * Returns whether the hot wallets certainly hold enough for a treasury withdrawal. Of a coin they need twice the
 * amount, because network fees are paid in it and small outputs may cost more than they are worth.
 */
function canBePaid(world: CheckedWorld, asset: ModelAsset, amountMinor: bigint): boolean {
  const chain = world.chains.find(({ network }) => network === asset.network)
  // The money of a listed sender must not move, so sweeps may leave money behind.
  if (chain === undefined || world.model.listed.size > 0) return false
  const inHotWallets = heldMinor(chain, asset, new Set(chain.hotWallets))
  return inHotWallets >= (asset.contract === null ? 2n * amountMinor : amountMinor)
}

/**
 * Checks at any moment that the operator has withdrawn no more than its own money. Both limits are computed from the
 * chain alone.
 */
export function findOverdrawn(world: CheckedWorld, states: TreasuryStates): readonly string[] {
  const { model, assets } = world
  if (model.isDeceived || model.treasuryOrders.length === 0) return []
  return assets.flatMap((asset) => {
    // A restored database may have lost orders that were paid, so only what the chain shows as withdrawn counts.
    if (model.isRestored) return findUncovered(world, asset, 0n)
    const taken = model.treasuryOrders.filter((order) => order.asset === asset && isTaken(order, states))
    const leavingMinor = totalOf(withoutPayment(taken, paidToCold(world, asset)))
    return [...findFeesOverdrawn(world, asset, taken), ...findUncovered(world, asset, leavingMinor)]
  })
}

function findFeesOverdrawn(
  world: CheckedWorld,
  asset: ModelAsset,
  taken: readonly ModelTreasuryOrder[],
): readonly string[] {
  const feesTakenMinor = totalOf(taken.filter(({ source }) => source === 'fees'))
  const earnedMinor = earnedIn(world, asset)
  if (feesTakenMinor <= earnedMinor) return []
  return [`the operator withdraws ${feesTakenMinor} ${asset.name} of fees, and earned only ${earnedMinor}`]
}

/** @param leavingMinor the amount of withdrawals that the chain does not show yet */
function findUncovered(world: CheckedWorld, asset: ModelAsset, leavingMinor: bigint): readonly string[] {
  const leftMinor = heldIn(world, asset) - leavingMinor
  const owedMinor = owedIn(world, asset)
  if (leftMinor >= owedMinor) return []
  return [`${leftMinor} ${asset.name} are left after treasury withdrawals, and merchants have ${owedMinor}`]
}

/**
 * Returns whether an order has a claim on the operator's money. A failed order has returned its amount, and an order
 * that the service does not have never had a claim.
 * @throws RangeError for a state that the model does not know
 */
function isTaken({ id }: ModelTreasuryOrder, states: TreasuryStates): boolean {
  const state = states.get(id)
  switch (state) {
    case 'pending':
    case 'completed':
      return true
    case 'failed':
    case undefined:
      return false
    default:
      throw unknownState(state)
  }
}

function unknownState(state: never): RangeError {
  return new RangeError(`the model does not know the state ${state} of treasury withdrawals`)
}

/**
 * Returns the orders that the chain does not show as paid. Each payment counts for one order of the same amount. A
 * payment that belongs to no order must not count for an order of another amount.
 */
function withoutPayment(
  orders: readonly ModelTreasuryOrder[],
  payments: readonly TrueTransfer[],
): readonly ModelTreasuryOrder[] {
  const unmatched = payments.map(({ amountMinor }) => amountMinor)
  return orders.filter(({ amountMinor }) => {
    const index = unmatched.indexOf(amountMinor)
    if (index === -1) return true
    unmatched.splice(index, 1)
    return false
  })
}

function paidToCold({ transfers }: CheckedWorld, asset: ModelAsset): readonly TrueTransfer[] {
  return transfers.filter(
    (transfer) => isOf(asset, transfer) && transfer.recipient === coldAddresses.get(asset.network),
  )
}

function heldIn({ chains, ours }: CheckedWorld, asset: ModelAsset): bigint {
  const chain = chains.find(({ network }) => network === asset.network)
  return chain === undefined ? 0n : heldMinor(chain, asset, ours)
}

/**
 * Returns the fees of the payments that are credited to merchants, and of the orders that the chain shows as paid. What
 * failed orders in a token were charged is earned too. In the coin, their network fees are as high as their charges.
 * Payments that are not credited cost no fee: those of listed senders, and those of an invoice that stays below the
 * minimum.
 */
function earnedIn(world: CheckedWorld, asset: ModelAsset): bigint {
  const { model, transfers } = world
  const deposits = creditedPayments(model, asset, transfers, 'possible').flatMap(({ payments }) => payments)
  const fees = [...deposits, ...ordersPaid(world, asset)].map(({ amountMinor }) => feeOf(amountMinor, asset))
  return sum(fees) + (asset.contract === null ? 0n : chargesIn(world, asset))
}

/**
 * Returns the money that is not the operator's: the credits of merchants less their orders that the chain shows as paid,
 * and the payments on the wrong network that nobody is credited with. A restored database may give an address to a second invoice, if no process notices the restore. What it received counts once.
 */
function owedIn(world: CheckedWorld, asset: ModelAsset): bigint {
  const shown = [...new Map(world.model.shown.map((one) => [one.address, one])).values()]
  const model = { ...world.model, shown }
  const credits = creditsOf(model, asset, world.transfers)
  const chargedMinor =
    asset.contract === null ? failedFees(world.payments, asset) : mostChargesIn(world, asset)
  const unattributedMinor = totalOf(findUnattributed(model, asset, world.transfers))
  return sum([...credits.values()]) + unattributedMinor - totalOf(ordersPaid(world, asset)) - chargedMinor
}

/** Returns the payments on the wrong network that are not credited to their merchants yet. */
function findUnattributed(
  model: Crediting,
  asset: ModelAsset,
  transfers: readonly TrueTransfer[],
): readonly TrueTransfer[] {
  const wrong = new Set(
    model.shown
      .filter((one) => isOnWrongNetwork(one, asset) && !model.creditsWrongNetwork.has(one.merchantId))
      .map(({ address }) => address),
  )
  return transfers.filter(
    (one) =>
      isOf(asset, one) &&
      !one.isFromUs &&
      wrong.has(one.recipient) &&
      !model.listed.has(one.sender) &&
      !isCreditedOnRequest(model, asset, one, 'possible'),
  )
}

/** Returns what the service has charged to failed orders in a token. It is paid in the token for fees in the coin. */
function chargesIn(world: CheckedWorld, asset: ModelAsset): bigint {
  const charged = world.model.orders.filter((order) => order.asset === asset && world.charges.has(order.id))
  return sum(charged.map((order) => chargeOf(world, order, 'failed')))
}

/** Returns the most that the service may charge to failed orders in a token. A restored database may lack charges. */
function mostChargesIn(world: CheckedWorld, asset: ModelAsset): bigint {
  const orders = world.model.orders.filter((order) => order.asset === asset)
  return sum(orders.map((order) => mostChargeOf(world, order)))
}

function ordersPaid({ model, transfers }: CheckedWorld, asset: ModelAsset) {
  return model.orders.filter(
    (order) =>
      order.asset === asset &&
      transfers.some((one) => one.isFromUs && isOf(asset, one) && one.recipient === order.address),
  )
}

/**
 * Returns the network fees of failed coin payments on an EVM network. Coffer may charge these fees to the failed
 * orders.
 */
function failedFees(payments: readonly OurPayment[], { network }: ModelAsset): bigint {
  const failed = payments.filter((one) => one.network === network && one.hasFailed && one.contract === null)
  return sum(failed.map(({ feeMinor }) => feeMinor))
}
