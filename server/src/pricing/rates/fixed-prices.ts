import { decimal, rateDecimals } from '../../core/money.ts'
import type { Reading } from './rate.ts'

/**
 * Prices for the sandbox. They are fixed, so the sandbox needs no internet and its examples always give the
 * same amounts.
 */
const pricesUsd: Readonly<Record<string, string>> = {
  USDT: '1',
  USDC: '1',
  ETH: '2500',
  BTC: '60000',
  LTC: '80',
  DOGE: '0.1',
  DAI: '1',
  EURC: '1.1',
  POL: '0.5',
  BNB: '600',
  AVAX: '20',
  XDAI: '1',
}

export function fixedReadings(symbols: readonly string[]): ReadonlyMap<string, readonly Reading[]> {
  return new Map(
    symbols.map((symbol) => {
      const price = pricesUsd[symbol]
      const priceUsd = price === undefined ? undefined : decimal(price, rateDecimals)
      return [symbol, priceUsd === undefined ? [] : [{ source: 'fixed', priceUsd }]]
    }),
  )
}
