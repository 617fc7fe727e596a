/** Checks the amounts that payers were asked for. */
import { max } from '../../src/core/money.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { CheckedWorld } from '../model/checked-world.ts'
import { isOf, type ShownAddress } from '../model/model.ts'
import { paymentTimesOn } from '../model/payment-times.ts'
import { shareOf, whole } from '../model/share.ts'
import { lostTransfers } from '../model/transfers.ts'
import type { QuoteAnswer } from './price-reading.ts'
import { fullAmountsOf, quotedAmounts, quotesOf } from './valuation.ts'

/**
 * Returns one sentence for each amount that no price of its time explains. A payer who asks again may have paid a part
 * already, and is then asked for the rest. Nothing is checked of later quotes if a request for one has no answer.
 */
export function findWrongQuotes(world: CheckedWorld): readonly string[] {
  const { model, assets } = world
  if (model.readings.length === 0) return []
  return model.shown.flatMap((shown) => {
    const asset = assets.find(({ methodId }) => methodId === shown.methodId)
    if (asset === undefined) return []
    const isFirstWrong = !quotedAmounts(model, asset, shown, shown).includes(shown.amountMinor)
    return [...(isFirstWrong ? [shown] : []), ...findWrongLater(world, asset, shown)].map(
      ({ amountMinor }) =>
        `a payer was asked for ${amountMinor} ${asset.name} for an invoice of ${shown.amountUsd} USD`,
    )
  })
}

/** Returns the answers to later requests for which no quote explains the amount. */
function findWrongLater(world: CheckedWorld, asset: ModelAsset, shown: ShownAddress): readonly QuoteAnswer[] {
  const { model } = world
  const { quotes, isUnclear } = quotesOf(model, asset, shown)
  if (isUnclear) return []
  return model.askedQuotes.flatMap(({ invoiceId, answer }) => {
    if (invoiceId !== shown.invoiceId || answer === undefined) return []
    const quote = quotes.find(({ expiresMs }) => expiresMs === answer.expiresMs)
    // An invoice that has ended shows its last quote, which is not compared.
    if (quote === undefined) return []
    const { amountMinor, answeredMs } = answer
    const unpaidShare = max(0n, whole - paidShareAtMost(world, asset, shown, answeredMs))
    const isExplained = quote.fullAmounts.some(
      (fullMinor) => (fullMinor * unpaidShare) / whole <= amountMinor && amountMinor <= fullMinor,
    )
    return isExplained ? [] : [answer]
  })
}

/**
 * Returns the largest share of an invoice that may count as paid at a moment. Every payment counts that was in a block
 * before, also if a reorganisation dropped it later.
 */
function paidShareAtMost(
  { model, chains, ours, transfers }: CheckedWorld,
  asset: ModelAsset,
  shown: ShownAddress,
  atMs: number,
): bigint {
  const chain = chains.find(({ network }) => network === asset.network)
  if (chain === undefined) return 0n
  const paid = [...transfers, ...lostTransfers(chain, ours)].filter(
    (one) =>
      isOf(asset, one) &&
      !one.isFromUs &&
      one.recipient === shown.address &&
      chain.firstMinedMs(one.txHash) <= atMs,
  )
  const timeOf = paymentTimesOn(chain)
  const share = shareOf(paid, (one) => {
    const { fromMs, toMs } = timeOf(one)
    const time = { fromMs, toMs: toMs < atMs ? toMs : atMs }
    return fullAmountsOf(model, asset, shown, time).leastMinor
  })
  // The share of each payment is rounded down.
  return share + BigInt(paid.length)
}
