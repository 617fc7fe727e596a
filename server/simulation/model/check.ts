/** Compares the answers of the service at the end of a run with the model. */
import { sum } from '../../src/core/money.ts'
import { coldAddresses } from '../treasury/cold-addresses.ts'
import type { ModelAsset } from './asset.ts'
import { findWrongApprovals } from './check-approvals.ts'
import { findDearFees } from './check-fees.ts'
import type { CheckedWorld, OrderState } from './checked-world.ts'
import { chargeOf, findCostly, findWrongCharges } from './costs.ts'
import { type DeepestOf, isSumOfSome, lastingCredits } from './lasting-credits.ts'
import { creditsOf, feeOf, isOf, type Model } from './model.ts'
import type { ModelOrder } from './order.ts'
import { isRaisedPurse, isTamperedOrder, isTamperedPurse } from './tampering.ts'
import { lostTransfers } from './transfers.ts'

/** The answers of the service about orders and balances at the end of a run. */
export interface Answers {
  readonly orders: ReadonlyMap<string, OrderState>
  /** The available balance minus the merchant's debt. The key is the merchant and the asset (`keyOf`). */
  readonly balances: ReadonlyMap<string, bigint>
  /** What merchants owe. The key is the merchant and the asset (`keyOf`). */
  readonly debts: ReadonlyMap<string, bigint>
  /** The money that is held for pending withdrawals. The key is the merchant and the asset (`keyOf`). */
  readonly held: ReadonlyMap<string, bigint>
}

export function keyOf(merchantId: string, asset: Pick<ModelAsset, 'name'>): string {
  return `${merchantId} ${asset.name}`
}

/** Returns one sentence for each difference. */
export function findDifferences(
  world: CheckedWorld,
  answers: Answers,
  deepestOf: DeepestOf,
): readonly string[] {
  return [
    ...findWrongPayments(world, answers),
    ...findForeignPayments(world),
    ...findOverpaid(world),
    ...findCostly(world, answers.orders),
    ...findWrongApprovals(world, answers.orders),
    ...world.chains.flatMap((chain) => findDearFees(chain, world.ours)),
    ...(areBooksOpen(world.model)
      ? []
      : [...findWrongCharges(world, answers.orders), ...findWrongBalances(world, answers, deepestOf)]),
    ...(world.model.isRestored && !world.model.isDeceived ? findRaisedBalances(world, answers) : []),
  ]
}

/**
 * Returns whether the books may differ from the chain, because the database was restored or the node invented
 * payments.
 */
export function areBooksOpen({ isRestored, isDeceived }: Model): boolean {
  return isRestored || isDeceived
}

function netOf({ amountMinor, asset }: ModelOrder): bigint {
  return amountMinor - feeOf(amountMinor, asset)
}

/** Checks that each completed order has paid its address exactly once, and that no other order has paid. */
function findWrongPayments({ model, transfers }: CheckedWorld, { orders }: Answers): readonly string[] {
  const out = transfers.filter(({ isFromUs }) => isFromUs)
  return model.orders.flatMap((order) => {
    const paid = out.filter((transfer) => transfer.recipient === order.address && isOf(order.asset, transfer))
    const state = orders.get(order.id) ?? 'unknown'
    const wanted = state === 'completed' ? 1 : 0
    const amounts = paid.map(({ amountMinor }) => amountMinor)
    const what = `order of ${order.amountMinor} ${order.asset.name} to ${order.address.slice(0, 10)} is ${state}`
    const wrong: string[] = []
    // A restored database may have lost an order after it was paid. Such an order may have paid once, but
    // never twice.
    const isLost = model.isRestored && paid.length <= 1 && (state === 'unknown' || state === 'pending')
    if (isLost) return wrong
    // The state of a changed row may be wrong. Its address still gets at most one payment, of the right amount.
    if (isTamperedOrder(model, order.id))
      return amounts.length <= 1 && amounts.every((minor) => minor === netOf(order))
        ? wrong
        : [`${what} and its row was changed, and its address received ${amounts.join(' and ')}`]
    if (paid.length !== wanted) wrong.push(`${what}, and its address received ${amounts.length} payments`)
    else if (amounts.some((minor) => minor !== netOf(order)))
      wrong.push(`${what}, and its address received ${amounts[0]} of ${netOf(order)}`)
    const isDust = netOf(order) < order.asset.dustMinor
    const isRejected = (model.approvals?.decisionsOf(order).openRejections ?? 0) > 0
    const mayFail = isDust || isRejected || model.unusual.has(order.address) || model.takenBack.has(order)
    if (state === 'failed' && !mayFail) wrong.push(`${what}, although its recipient takes every payment`)
    if (state === 'unknown' && order.isAnswered) wrong.push(`${what}, although the API had taken it`)
    if (order.isCancelled && state !== 'cancelled' && !model.isRestored)
      wrong.push(`${what}, although the API had cancelled it`)
    return wrong
  })
}

/**
 * Checks that all payments from our addresses to other addresses belong to orders. Payments to the cold address are
 * compared with the treasury withdrawals.
 */
function findForeignPayments({ model, ours, transfers }: CheckedWorld): readonly string[] {
  return transfers
    .filter(({ isFromUs, recipient }) => isFromUs && !ours.has(recipient))
    .filter(({ network, recipient }) => recipient !== coldAddresses.get(network))
    .filter(
      (transfer) =>
        !model.orders.some(({ address, asset }) => address === transfer.recipient && isOf(asset, transfer)),
    )
    .map(({ recipient, amountMinor }) => `${amountMinor} left to ${recipient}, which nobody ordered`)
}

/**
 * Checks that no merchant was paid more than it received on the chain, whatever the books say. On UTXO networks,
 * payments that a reorganisation dropped count as received, because small payments are credited before they are final.
 */
function findOverpaid({ model, assets, chains, ours, transfers }: CheckedWorld): readonly string[] {
  const utxoChains = chains.filter(({ feeTerms }) => feeTerms !== undefined)
  const sent = [...transfers, ...utxoChains.flatMap((chain) => lostTransfers(chain, ours))]
  return assets.flatMap((asset) => {
    const credits = creditsOf(model, asset, sent, 'possible')
    return model.merchants.flatMap((merchantId, index) => {
      const own = model.orders.filter((one) => one.merchantId === merchantId && one.asset === asset)
      const paidMinor = transfers
        .filter(
          (transfer) =>
            transfer.isFromUs &&
            isOf(asset, transfer) &&
            own.some(({ address }) => address === transfer.recipient),
        )
        .reduce((total, { amountMinor }) => total + amountMinor, 0n)
      const creditedMinor = credits.get(merchantId) ?? 0n
      if (paidMinor <= creditedMinor) return []
      return [`merchant ${index + 1} was paid ${paidMinor} ${asset.name}, and had only ${creditedMinor}`]
    })
  })
}

/**
 * Checks that no merchant has more than it was sent, less the orders that the service knows. A restored database may
 * lack payments and orders, but it never has additional ones.
 */
function findRaisedBalances(
  { model, assets, chains, ours, transfers }: CheckedWorld,
  { orders, balances }: Answers,
): readonly string[] {
  const sent = [...transfers, ...chains.flatMap((chain) => lostTransfers(chain, ours))]
  return assets.flatMap((asset) => {
    const credits = creditsOf(model, asset, sent, 'possible')
    return model.merchants.flatMap((merchantId, index) => {
      const own = model.orders.filter((one) => one.merchantId === merchantId && one.asset === asset)
      const takenMinor = own
        .filter(({ id }) => ['completed', 'pending'].includes(orders.get(id) ?? 'unknown'))
        .reduce((total, { amountMinor }) => total + amountMinor, 0n)
      const most = (credits.get(merchantId) ?? 0n) - takenMinor
      const actual = balances.get(keyOf(merchantId, asset)) ?? 0n
      if (actual <= most) return []
      return [
        `after a restore merchant ${index + 1} has ${actual} ${asset.name}, and should have at most ${most}`,
      ]
    })
  })
}

/**
 * Checks that each balance equals the credits minus the amounts that withdrawals took or hold. It may contain more of
 * the credits in `lastingCredits`, but no part of one.
 */
function findWrongBalances(
  world: CheckedWorld,
  { orders, balances, held }: Answers,
  deepestOf: DeepestOf,
): readonly string[] {
  const { model, assets, transfers } = world
  return assets.flatMap((asset) => {
    const credits = creditsOf(model, asset, transfers)
    const lasting = lastingCredits(world, asset, deepestOf)
    return model.merchants.flatMap((merchantId, index) => {
      const own = model.orders.filter((one) => one.merchantId === merchantId && one.asset === asset)
      const sumIn = (...states: OrderState[]) =>
        own
          .filter(({ id }) => states.includes(orders.get(id) ?? 'unknown'))
          .reduce((total, { amountMinor }) => total + amountMinor, 0n)
      const wantedHeld = sumIn('pending')
      const chargedMinor = own.reduce(
        (total, order) => total + chargeOf(world, order, orders.get(order.id) ?? 'unknown'),
        0n,
      )
      const wanted = (credits.get(merchantId) ?? 0n) - sumIn('completed', 'pending') - chargedMinor
      const actual = balances.get(keyOf(merchantId, asset)) ?? 0n
      const actualHeld = held.get(keyOf(merchantId, asset)) ?? 0n
      const of = `merchant ${index + 1} in ${asset.name}`
      // A changed row may reduce the balance of its merchant, but must not raise it.
      if (isRaisedPurse(model, merchantId, asset)) return []
      const ownLasting = lasting.get(merchantId) ?? []
      const most = wanted + wantedHeld + sum(ownLasting)
      if (isTamperedPurse(model, merchantId, asset))
        return actual + actualHeld <= most
          ? []
          : [`${of} has ${actual} and ${actualHeld} held, and should have at most ${most}`]
      return [
        ...(isSumOfSome(ownLasting, actual - wanted)
          ? []
          : [`the balance of ${of} is ${actual}, and should be ${wanted}`]),
        ...(actualHeld === wantedHeld
          ? []
          : [`the money held of ${of} is ${actualHeld}, and should be ${wantedHeld}`]),
      ]
    })
  })
}
