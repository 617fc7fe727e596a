/**
 * What this process found itself when it last compared a network's books with its chain. It lives as long as an epoch of the lease:
 * the row of an asset's halt can be deleted by whoever writes the database, and this cannot.
 */
export class SolvencySight {
  readonly #onNews: () => void
  #short: ReadonlySet<string> = new Set()
  #untilMs: number | undefined

  /** @param onNews called when what payouts may do has changed */
  constructor(onNews: () => void = () => {}) {
    this.#onNews = onNews
  }

  /**
   * @param short the assets of which the chain holds less than the books say
   * @param forMs how long that counts
   */
  note(short: readonly string[], forMs: number): void {
    const wasFresh = this.isFresh
    const isSame = short.length === this.#short.size && short.every((asset) => this.#short.has(asset))
    this.#short = new Set(short)
    this.#untilMs = performance.now() + forMs
    if (!wasFresh || !isSame) this.#onNews()
  }

  /** Whether the last comparison that came to its end is young enough to count. */
  get isFresh(): boolean {
    return this.#untilMs !== undefined && performance.now() < this.#untilMs
  }

  get short(): ReadonlySet<string> {
    return this.#short
  }
}
