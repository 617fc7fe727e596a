/** Checks the amounts that payers were asked for. */
import type { CheckedWorld } from '../model/checked-world.ts'
import { quotedAmounts, quotesOf } from './valuation.ts'

/**
 * Returns one sentence for each amount that no price of its time explains. A payer who asks again may have paid a part
 * already, and is then asked for less. Nothing is checked of later quotes if a request for one has no answer.
 */
export function findWrongQuotes({ model, assets }: CheckedWorld): readonly string[] {
  if (model.readings.length === 0) return []
  return model.shown.flatMap((shown) => {
    const asset = assets.find(({ methodId }) => methodId === shown.methodId)
    if (asset === undefined) return []
    const { quotes, isUnclear } = quotesOf(model, asset, shown)
    const asked = model.askedQuotes.flatMap(({ invoiceId, answer }) =>
      invoiceId === shown.invoiceId && answer !== undefined && !isUnclear ? [answer] : [],
    )
    const wrong = asked.filter(({ expiresMs, amountMinor }) => {
      const quote = quotes.find((one) => one.expiresMs === expiresMs)
      return quote?.fullAmounts.every((minor) => minor < amountMinor) ?? false
    })
    const isFirstWrong = !quotedAmounts(model, asset, shown, shown).includes(shown.amountMinor)
    return [...(isFirstWrong ? [shown] : []), ...wrong].map(
      ({ amountMinor }) =>
        `a payer was asked for ${amountMinor} ${asset.name} for an invoice of ${shown.amountUsd} USD`,
    )
  })
}
