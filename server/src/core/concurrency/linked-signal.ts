import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts with any of its sources, or after `timeoutMs`, until it is released. For work that is done over
 * and over under a signal that lives as long as the process: AbortSignal.any keeps a trace of every call there for as
 * long as its sources live (seen on Node 20: about 60 bytes a call, which adds up to tens of megabytes a day).
 */
export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Lets go of the sources and the timer. To be called when the work is done, however it ended. */
  release(): void
}

export function linkSignal(sources: readonly AbortSignal[], timeoutMs?: number): LinkedSignal {
  const controller = new AbortController()
  const abort = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const source of sources) {
    // Each work takes its listener away again, so that many at once are many works and no leak to warn of.
    setMaxListeners(0, source)
    if (source.aborted) controller.abort(source.reason)
    else source.addEventListener('abort', abort, { once: true })
  }
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs)
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer)
      for (const source of sources) source.removeEventListener('abort', abort)
    },
  }
}
