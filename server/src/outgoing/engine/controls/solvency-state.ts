import { monotonicMs } from '../../../core/clock.ts'

/**
 * What this process found when it last compared a network's books with its chain. The result is kept in
 * memory for one epoch of the lease. Somebody who can write to the database can delete the stored halt of an
 * asset, but cannot change this result.
 */
export class SolvencyState {
  readonly #onNews: () => void
  #short: ReadonlySet<string> = new Set()
  #untilMs: number | undefined

  /** @param onNews is called when a new result changes which assets may be sent */
  constructor(onNews: () => void = () => {}) {
    this.#onNews = onNews
  }

  /**
   * Stores the result of a comparison.
   * @param short are the assets of which the chain holds less than the books say
   * @param forMs is how long the result stays valid
   */
  note(short: readonly string[], forMs: number): void {
    const wasFresh = this.isFresh
    const isSame = short.length === this.#short.size && short.every((asset) => this.#short.has(asset))
    this.#short = new Set(short)
    this.#untilMs = monotonicMs() + forMs
    if (!wasFresh || !isSame) this.#onNews()
  }

  /** Whether the last complete comparison is still valid. */
  get isFresh(): boolean {
    return this.#untilMs !== undefined && monotonicMs() < this.#untilMs
  }

  get short(): ReadonlySet<string> {
    return this.#short
  }
}
