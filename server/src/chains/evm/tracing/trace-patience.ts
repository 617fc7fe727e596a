/**
 * Sets the timeout for tracing a block. If contracts call each other thousands of times, tracing takes a node
 * far longer than the block's size suggests. If a block could never be traced in time, no later block could
 * be booked. So each exceeded timeout triples the next timeout for that block, up to 30 times the first.
 */
export class TracePatience {
  readonly #firstMs: number
  /** Number of exceeded timeouts, by height. An entry is removed once the block was traced. */
  readonly #exceeded = new Map<number, number>()

  constructor(firstMs: number) {
    this.#firstMs = firstMs
  }

  timeoutMs(height: number): number {
    const exceeded = this.#exceeded.get(height) ?? 0
    return Math.min(this.#firstMs * growth ** exceeded, this.#firstMs * growthMax)
  }

  /** Decides whether tracing the block exceeded its timeout before. */
  isTried(height: number): boolean {
    return this.#exceeded.has(height)
  }

  wasExceeded(height: number): void {
    if (this.#exceeded.size >= heightsMax) this.#exceeded.clear()
    this.#exceeded.set(height, (this.#exceeded.get(height) ?? 0) + 1)
  }

  wasEnough(height: number): void {
    this.#exceeded.delete(height)
  }
}

const growth = 3
const growthMax = 30
const heightsMax = 1000
