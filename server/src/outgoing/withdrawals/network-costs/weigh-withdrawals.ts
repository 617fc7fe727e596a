/** Checks the network fees that approved orders may cost, before the engine plans these orders. */
import { networkOf } from '../../../chains/networks.ts'
import { required } from '../../../core/assert.ts'
import { formatDecimal, sum } from '../../../core/money.ts'
import { assertLease, type Lease } from '../../../platform/db/lease.ts'
import type { Db, Queryable } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { freshRate, recentPrices } from '../../../pricing/rates/store.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { CostedProposal, CostVerdict } from '../../engine/outgoing-source.ts'
import { maxCostMinor } from '../../engine/outgoing-transaction.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { type CostRate, coverFailure, inCoin } from './failure-cost.ts'
import { type CostedOrder, fitBudgets, gasBudgetDefaultMinor } from './gas-budget.ts'
import {
  type FailurePrices,
  readFeesCharged,
  readKeptBack,
  readNetworkCosts,
  saveFailurePrices,
  saveKeptBack,
  saveLetGo,
} from './store.ts'

export interface CostParts {
  readonly db: Db
  readonly methods: PaymentMethods
  /**
   * The budget of each merchant within 24 hours, in the network's coin, by network. A network without an entry
   * has the default of its coin.
   */
  readonly gasBudgetsMinor?: ReadonlyMap<string, bigint> | undefined
}

interface Costed {
  readonly costed: CostedProposal
  readonly payment: Payment
}

interface Weighed {
  readonly verdict: CostVerdict
  /** The prices at which a failure is charged. Set only if the failure would be charged in a token. */
  readonly prices?: FailurePrices
}

/**
 * Decides from the possible network fees which approved orders may be planned. The hold of an order that can
 * fail on chain must cover the cost of the failure. The orders of each merchant must fit into its gas budget.
 * On networks where the sender pays for gas, each transaction carries one order, so the fee of the
 * transaction is the cost of the order.
 * @throws LeaseLostError if another process has taken the lease
 */
export async function weighWithdrawals(
  parts: CostParts,
  lease: Lease,
  network: string,
  proposals: readonly CostedProposal[],
): Promise<ReadonlyMap<string, CostVerdict>> {
  const orders = proposals.flatMap((costed): readonly Costed[] => {
    const { intent } = costed.proposal
    return intent.kind === 'withdrawal' ? intent.payments.map((payment) => ({ costed, payment })) : []
  })
  const weighed = new Map<string, Weighed>()
  for (const order of orders) weighed.set(order.costed.proposal.id, await weighFailure(parts, network, order))
  const accepted = orders.filter(({ costed }) => weighed.get(costed.proposal.id)?.verdict.type === 'accept')
  const wanted = accepted.map(costedOrder)
  const { beyond } = await fit(parts, parts.db, network, wanted)
  const kept = new Set(beyond.map(({ id }) => id))
  const prices = [...weighed.values()].flatMap((one) => one.prices ?? []).filter(({ id }) => !kept.has(id))
  if (beyond.length + prices.length > 0) {
    await inTransaction(parts.db, async (tx) => {
      await assertLease(tx, lease)
      await saveKeptBack(tx, beyond)
      await saveFailurePrices(tx, prices)
    })
  }
  const verdicts = [...weighed].map(([id, { verdict }]) => [id, verdict] as const)
  return new Map([...verdicts, ...beyond.map(({ id }) => [id, overBudget(network, beyond.length)] as const)])
}

function costedOrder({ costed: { proposal, fees }, payment }: Costed): CostedOrder {
  return { id: proposal.id, merchantId: payment.merchantId, costMinor: maxCostMinor(fees) }
}

function overBudget(network: string, count: number): CostVerdict {
  const setting = `GAS_BUDGET_${network.toUpperCase()}`
  const detail = `${count} withdrawals wait: the network fees for their merchants exceed what ${setting} allows in 24 hours`
  return { type: 'wait', cause: 'gas-budget', detail }
}

/**
 * Decides whether the hold of a payment that can fail covers the cost of the failure. A payment of the coin
 * can fail if the recipient runs code. A payment of a token can fail if its payment method is not marked as
 * plain (`isPlain`).
 */
async function weighFailure(
  { db, methods }: CostParts,
  network: string,
  { costed, payment }: Costed,
): Promise<Weighed> {
  const method = required(methods.byAsset(payment.asset), 'the method of a withdrawal')
  const isCoin = method.contract === undefined
  if (isCoin ? !costed.runsCode : method.isPlain) return accepted(undefined)
  const rate = isCoin ? ({ type: 'same' } as const) : await freshCostRate(db, network, method)
  if (rate === undefined) {
    const detail = `the cost of a failed payment is unknown: there is no recent price of ${method.symbol} or of the coin`
    return { verdict: { type: 'wait', cause: 'rate', detail } }
  }
  const amountMinor = payment.netMinor + payment.feeMinor
  const { gasLimit: gas, maxFeePerGas, dataFeeMinor } = costed.fees
  const assetDecimals = method.decimals
  const cover = coverFailure({ amountMinor, assetDecimals, gas, maxFeePerGas, dataFeeMinor, rate })
  if (cover.type === 'short')
    return { verdict: { type: 'reject', reason: tooLittle(method, cover.leastMinor) } }
  const verdict = accepted(cover.maxFeePerGasLimit).verdict
  if (rate.type === 'same') return { verdict }
  const { coinPriceUsd, assetPriceUsd } = rate
  return { verdict, prices: { id: costed.proposal.id, coinPriceUsd, assetPriceUsd } }
}

function accepted(maxFeePerGasLimit: bigint | undefined): Weighed {
  return { verdict: { type: 'accept', maxFeePerGasLimit } }
}

function tooLittle({ contract, decimals, symbol }: PaymentMethod, leastMinor: bigint): string {
  const who =
    contract === undefined ? 'The recipient is a contract. A payment to it' : `A transfer of ${symbol}`
  const least = `${formatDecimal(leastMinor, decimals)} ${symbol}`
  return `${who} can fail on the chain at the merchant's cost, so the minimum is currently ${least}.`
}

async function freshCostRate(
  on: Queryable,
  network: string,
  { symbol, decimals }: PaymentMethod,
): Promise<CostRate | undefined> {
  const coin = coinOf(network)
  const ofCoin = await freshRate(on, coin.symbol)
  const ofAsset = await freshRate(on, symbol)
  if (ofCoin === undefined || ofAsset === undefined) return undefined
  return rateOf(coin, ofCoin.priceUsd, ofAsset.priceUsd, decimals)
}

/**
 * Returns the rate at which a failure is charged in the asset of the payment. Returns undefined if a failure
 * is not charged.
 */
export function costRateOf(
  { contract, network, decimals }: PaymentMethod,
  prices: Withdrawal['failurePrices'],
): CostRate | undefined {
  if (contract === undefined) return { type: 'same' }
  return prices && rateOf(coinOf(network), prices.coinPriceUsd, prices.assetPriceUsd, decimals)
}

/**
 * Decides which orders fit into their merchants' gas budgets. The fees that merchants paid are read only if
 * the result depends on them.
 */
async function fit(parts: CostParts, on: Queryable, network: string, orders: readonly CostedOrder[]) {
  const budgetMinor = parts.gasBudgetsMinor?.get(network) ?? gasBudgetDefaultMinor(coinOf(network))
  const merchantIds = [...new Set(orders.map(({ merchantId }) => merchantId))]
  const costs = await readNetworkCosts(on, network, merchantIds)
  const gross = fitBudgets(budgetMinor, costs, orders)
  if (gross.beyond.length === 0) return gross
  const fees = await readFees(parts, on, network, [
    ...new Set(gross.beyond.map(({ merchantId }) => merchantId)),
  ])
  const net = new Map([...costs].map(([id, minor]) => [id, minor - (fees.get(id) ?? 0n)]))
  return fitBudgets(budgetMinor, net, orders)
}

/**
 * Returns, by merchant, the fees that the merchant paid on the network within 24 hours, in the network's
 * coin. A fee in an asset without a recent price counts as 0.
 */
async function readFees(
  { methods }: CostParts,
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const own = methods.all.filter((method) => method.network === network)
  const coin = coinOf(network)
  const prices = await recentPrices(on, [coin.symbol, ...own.map(({ symbol }) => symbol)])
  const charged = await readFeesCharged(
    on,
    merchantIds,
    own.map(({ asset }) => asset),
  )
  const inCoins = charged.map(({ merchantId, asset, minor }) => {
    const method = required(methods.byAsset(asset), 'the method of a fee')
    if (method.contract === undefined) return { merchantId, minor }
    const coinPriceUsd = prices.get(coin.symbol)
    const assetPriceUsd = prices.get(method.symbol)
    if (coinPriceUsd === undefined || assetPriceUsd === undefined) return { merchantId, minor: 0n }
    const rate = rateOf(coin, coinPriceUsd, assetPriceUsd, method.decimals)
    return { merchantId, minor: inCoin(minor, rate) }
  })
  return new Map(
    merchantIds.map((id) => [
      id,
      sum(inCoins.filter(({ merchantId }) => merchantId === id).map(({ minor }) => minor)),
    ]),
  )
}

interface Coin {
  readonly symbol: string
  readonly decimals: number
}

function coinOf(network: string): Coin {
  return required(networkOf(network)?.coin, `the coin of ${network}`)
}

function rateOf(coin: Coin, coinPriceUsd: bigint, assetPriceUsd: bigint, assetDecimals: number): CostRate {
  return { type: 'priced', coinPriceUsd, coinDecimals: coin.decimals, assetPriceUsd, assetDecimals }
}

/** The maximum number of waiting orders of each merchant that one round examines. */
const keptBackPerMerchant = 20

/**
 * Lets orders that wait for a gas budget be proposed again if they now fit into it. The oldest waiting order
 * of each merchant is also proposed again if its retry time has come, because the price of gas may have
 * changed.
 * @throws LeaseLostError if another process has taken the lease
 */
export async function letGoWithinBudgets(parts: CostParts, lease: Lease, network: string): Promise<void> {
  const { db, methods } = parts
  const assets = methods.all.filter((method) => method.network === network).map(({ asset }) => asset)
  const kept = await readKeptBack(db, assets, keptBackPerMerchant)
  if (kept.length === 0) return
  const { within } = await fit(parts, db, network, kept)
  const first = new Map(kept.toReversed().map((one) => [one.merchantId, one]))
  const due = [...first.values()].filter(({ isDue }) => isDue)
  const ids = [...new Set([...within, ...due].map(({ id }) => id))]
  if (ids.length === 0) return
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await saveLetGo(tx, ids)
  })
}
