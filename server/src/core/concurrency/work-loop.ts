import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { linkSignal } from './linked-signal.ts'

/** A job that does a bounded batch of work at each call. */
export interface Worker {
  readonly name: string
  /** How long the loop sleeps after a batch without items. */
  readonly idleMs: number
  /** Processes at most one batch, and returns the number of items in it. After 0 items the loop sleeps. */
  runBatch(signal: AbortSignal): Promise<number>
}

/**
 * Ends a worker's sleep early. If the worker is not asleep, its next sleep is skipped. A lost wake costs
 * latency, but no work is lost.
 */
export class Wake {
  #controller = new AbortController()

  now(): void {
    this.#controller.abort()
  }

  /** Sleeps for `ms`. The sleep ends earlier if `now` is called or `stop` aborts. */
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
 * Runs a worker until the signal aborts. A failed batch is logged and retried with growing delays of at most
 * 5 seconds. The loop therefore survives a database or a node that is unreachable for a while. Every batch
 * must be safe to repeat.
 */
export async function workLoop(worker: Worker, parts: LoopParts): Promise<void> {
  const wake = parts.wake ?? new Wake()
  let failures = 0
  while (!parts.signal.aborted) {
    let handled = 0
    try {
      handled = await worker.runBatch(parts.signal)
      failures = 0
    } catch (error) {
      if (parts.signal.aborted) return
      failures += 1
      parts.log.error({ worker: worker.name, failures, err: error }, 'worker batch failed, will try again')
    }
    if (handled > 0) continue
    const restMs = failures === 0 ? worker.idleMs : Math.min(backoffMsMax, 100 * 2 ** Math.min(failures, 6))
    await wake.within(restMs, parts.clock, parts.signal)
  }
}
