import { limits } from '../core/limits.ts'

export interface SlowMerchantsParts {
  /** How many places those with slow endpoints may hold together. */
  readonly placesMax: number
  /** An attempt that takes longer is slow. */
  readonly slowMs: number
}

/** One attempt that is under way. */
export interface Running {
  readonly merchantId: string
  readonly sinceMs: number
}

/** Who is slow at this moment, and how many more places they may take. */
export interface SlowShare {
  readonly merchantIds: readonly string[]
  readonly room: number
}

/**
 * Whose endpoints take long to answer, by what this process saw of late. An attempt holds its place until it ends: without
 * a bound for them together, some dozens of endpoints that hang, or answer just in time, would hold every place, and
 * everyone else would wait for theirs.
 */
export class SlowMerchants {
  readonly #parts: SlowMerchantsParts
  readonly #running = new Set<Running>()
  readonly #untilMs = new Map<string, number>()

  constructor(parts: SlowMerchantsParts) {
    this.#parts = parts
  }

  began(merchantId: string, nowMs: number): Running {
    const running = { merchantId, sinceMs: nowMs }
    this.#running.add(running)
    return running
  }

  ended(running: Running, nowMs: number): void {
    this.#running.delete(running)
    this.#judge(running, nowMs)
  }

  share(nowMs: number): SlowShare {
    for (const running of this.#running) this.#judge(running, nowMs)
    for (const [merchantId, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(merchantId)
    let room = this.#parts.placesMax
    for (const { merchantId } of this.#running) if (this.#untilMs.has(merchantId)) room -= 1
    return { merchantIds: [...this.#untilMs.keys()], room: Math.max(0, room) }
  }

  /** For long enough that one that is slow now and then gains nothing by it. */
  #judge({ merchantId, sinceMs }: Running, nowMs: number): void {
    if (nowMs - sinceMs >= this.#parts.slowMs) this.#untilMs.set(merchantId, nowMs + limits.endpointSlowMs)
  }
}
