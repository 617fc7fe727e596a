/**
 * Learns how many calls a node accepts in one request. A refusal shortens the length at once, to half or to
 * the longest request that was accepted before. The length recovers by one call at a time, because a hosted
 * node's limit seldom changes and each attempt above it costs a request.
 */
export class BatchLength {
  readonly #longest: number
  #length: number
  /** The longest request that was accepted since a request of that length was last refused. */
  #accepted = 1
  /** The number of accepted requests of the full length since the length last changed. */
  #served = 0

  constructor(longest: number) {
    this.#longest = longest
    this.#length = longest
  }

  /** The maximum number of calls in the next request; at least 1. */
  get current(): number {
    return this.#length
  }

  /** Notes that the node refused a request of `length` calls because it was too long. */
  wasTooLong(length: number): void {
    const half = Math.max(1, Math.floor(length / 2))
    // The limit has become stricter if this length was accepted before.
    if (this.#accepted >= length) this.#accepted = 1
    this.#shorten(Math.max(half, this.#accepted))
  }

  /**
   * Notes that the node refused a request of `length` calls because too many came in a short time. Limits of
   * this kind often count calls and not requests.
   */
  wasTooFast(length: number): void {
    this.#shorten(Math.max(1, Math.floor(length / 2)))
  }

  wasAccepted(length: number): void {
    this.#accepted = Math.max(this.#accepted, length)
    if (length < this.#length) return
    this.#served += 1
    if (this.#served < servedBeforeGrowth || this.#length === this.#longest) return
    this.#length += 1
    this.#served = 0
  }

  #shorten(length: number): void {
    this.#length = Math.min(this.#length, length)
    this.#served = 0
  }
}

/** Number of accepted requests of the full length after which the length grows by one call. */
export const servedBeforeGrowth = 50
