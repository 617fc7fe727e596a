import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { linkSignal } from './linked-signal.ts'

/** A job that takes a bounded bite each time it is called. */
export interface Worker {
  readonly name: string
  /** How long to rest when there was nothing to do. */
  readonly idleMs: number
  /** Does at most one batch and returns how much there was; 0 means rest. */
  takeAndDo(signal: AbortSignal): Promise<number>
}

/** Lets someone end a worker's rest early, or skip the next one. Losing a wake costs latency, never work. */
export class Wake {
  #controller = new AbortController()

  now(): void {
    this.#controller.abort()
  }

  /** Rests up to `ms`, less when woken or stopped. */
  async within(ms: number, clock: Clock, stop: AbortSignal): Promise<void> {
    const { signal, release } = linkSignal([this.#controller.signal, stop])
    try {
      await clock.sleep(ms, signal)
    } finally {
      release()
      if (this.#controller.signal.aborted) this.#controller = new AbortController()
    }
  }
}

export interface LoopParts {
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly wake?: Wake
}

const backoffMsMax = 5_000

/**
 * Runs a worker until the signal aborts. A failed bite is logged and tried again with growing rests: every bite is
 * safe to repeat, so the loop outlives a database or a node that is away for a while.
 */
export async function workLoop(worker: Worker, parts: LoopParts): Promise<void> {
  const wake = parts.wake ?? new Wake()
  let failures = 0
  while (!parts.signal.aborted) {
    let handled = 0
    try {
      handled = await worker.takeAndDo(parts.signal)
      failures = 0
    } catch (error) {
      if (parts.signal.aborted) return
      failures += 1
      parts.log.error({ worker: worker.name, failures, err: error }, 'worker bite failed, will try again')
    }
    if (handled > 0) continue
    const restMs = failures === 0 ? worker.idleMs : Math.min(backoffMsMax, 100 * 2 ** Math.min(failures, 6))
    await wake.within(restMs, parts.clock, parts.signal)
  }
}
