import { networkOf } from '../chains/networks.ts'
import { readFeeLevels } from '../outgoing/sweeps/deposited-store.ts'
import type { Invoice } from '../payments/invoices/invoice.ts'
import type { Queryable } from '../platform/db/pool.ts'
import type { PaymentMethod } from '../pricing/payment-methods/payment-method.ts'
import { recentPrices } from '../pricing/rates/store.ts'
import { type CoinChoice, choicesOf } from './choices.ts'

/**
 * Reads what the payer may choose from, with typical costs. The fee levels and prices are those that Coffer
 * has stored; no node is asked.
 */
export async function readChoices(
  on: Queryable,
  invoice: Pick<Invoice, 'type' | 'amountUsd'>,
  methods: readonly PaymentMethod[],
): Promise<readonly CoinChoice[]> {
  const coins = new Map(
    methods.flatMap(({ network }): [string, string][] => {
      const coin = networkOf(network)?.coin
      return coin === undefined ? [] : [[network, coin.symbol]]
    }),
  )
  const levels = await readFeeLevels(on, [...coins.keys()])
  const prices = await recentPrices(on, [...new Set(coins.values())])
  // The amount of a `collect` invoice is paid by many payers, so each pays a small part of it.
  const amountUsd = invoice.type === 'collect' ? 0n : invoice.amountUsd
  return choicesOf(methods, amountUsd, (network) => ({
    baseFeeMinor: levels.get(network),
    coinPriceUsd: prices.get(coins.get(network) ?? ''),
  }))
}
