import { limits } from '../core/limits.ts'

export interface SlowMerchantsParts {
  /** Maximum number of concurrent attempts on all slow endpoints together. */
  readonly slotsMax: number
  /** An attempt that takes at least this long counts as slow. */
  readonly slowMs: number
}

/** An attempt that is running. */
export interface Running {
  readonly merchantId: string
  readonly sinceMs: number
}

/** The merchants whose endpoints are slow now, and the number of further attempts that may start on them. */
export interface SlowShare {
  readonly merchantIds: readonly string[]
  readonly room: number
}

/**
 * Tracks merchants whose endpoints recently answered slowly to this process. All slow endpoints have a common
 * limit of concurrent attempts. Without this limit, some dozens of endpoints that hang or answer late would
 * use up all attempts and delay all other deliveries.
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
    this.#classify(running, nowMs)
  }

  share(nowMs: number): SlowShare {
    for (const running of this.#running) this.#classify(running, nowMs)
    for (const [merchantId, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(merchantId)
    let room = this.#parts.slotsMax
    for (const { merchantId } of this.#running) if (this.#untilMs.has(merchantId)) room -= 1
    return { merchantIds: [...this.#untilMs.keys()], room: Math.max(0, room) }
  }

  /**
   * Classifies the merchant of a slow attempt as slow for `limits.endpointSlowMs`. This time is long enough
   * that an endpoint that is slow only sometimes gets no more attempts than one that is always slow.
   */
  #classify({ merchantId, sinceMs }: Running, nowMs: number): void {
    if (nowMs - sinceMs >= this.#parts.slowMs) this.#untilMs.set(merchantId, nowMs + limits.endpointSlowMs)
  }
}
