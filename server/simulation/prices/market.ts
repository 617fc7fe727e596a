/** The price source of a simulated installation. Its prices change only by moves. */
import { required } from '../../src/core/assert.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import type { Reading } from '../../src/pricing/rates/rate.ts'
import type { Model } from '../model/model.ts'
import type { PriceReading } from './price-reading.ts'

export class Market {
  readonly #readings: PriceReading[]
  readonly #nowMs: () => number
  /** The prices in percent of the first price, by symbol. A symbol that is missing has its first price. */
  readonly #percents = new Map<string, bigint>()

  constructor({ readings }: Pick<Model, 'readings'>, nowMs: () => number) {
    this.#readings = readings
    this.#nowMs = nowMs
  }

  change(symbol: string, percent: bigint): void {
    this.#percents.set(symbol, percent)
  }

  /** Runs `store`, which reads the current prices and stores them. Notes when it reads them, and when it ends. */
  async readFor(
    symbols: readonly string[],
    store: (read: () => Promise<ReadonlyMap<string, readonly Reading[]>>) => Promise<void>,
  ): Promise<void> {
    let noted: PriceReading | undefined
    await store(async () => {
      const answers = new Map(
        [...fixedReadings(symbols)].map(([symbol, all]) => [
          symbol,
          all.map(({ source, priceUsd }) => ({ source, priceUsd: this.#now(symbol, priceUsd) })),
        ]),
      )
      const pricesUsd = new Map(
        [...answers].flatMap(([symbol, all]) => all.map(({ priceUsd }) => [symbol, priceUsd] as const)),
      )
      noted = { askedMs: this.#nowMs(), storedMs: undefined, pricesUsd }
      this.#readings.push(noted)
      return answers
    })
    required(noted, 'a reading').storedMs = this.#nowMs()
  }

  #now(symbol: string, firstUsd: bigint): bigint {
    return (firstUsd * (this.#percents.get(symbol) ?? 100n)) / 100n
  }
}
