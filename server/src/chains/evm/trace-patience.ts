/**
 * How long a node may take to trace a block. Tracing may cost a node far more than the block is long (contracts that
 * call each other thousands of times), and a block whose trace never comes in time would stop the chain for ever: so
 * each time it was too short for a block, that block is given three times as long.
 */
export class TracePatience {
  readonly #firstMs: number
  /** How often the time was too short, by height. Only blocks that are being read stay in here. */
  readonly #exceeded = new Map<number, number>()

  constructor(firstMs: number) {
    this.#firstMs = firstMs
  }

  timeoutMs(height: number): number {
    const exceeded = this.#exceeded.get(height) ?? 0
    return Math.min(this.#firstMs * growth ** exceeded, this.#firstMs * growthMax)
  }

  /** Whether the time was ever too short for this block. */
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
