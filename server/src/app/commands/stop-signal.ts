import { once } from 'node:events'

/** A request to stop: the first SIGTERM, SIGINT or SIGHUP (a closed terminal), or a call of `now`. */
export interface Stop {
  readonly asked: Promise<void>
  /** Aborts when the stop is requested. */
  readonly signal: AbortSignal
  now(): void
}

/**
 * The time within which repeated signals count as one request. If npm started the process, one Ctrl-C in a
 * terminal gives two signals within moments.
 */
const repeatedSignalMs = 1_000

/**
 * Handles the signals that stop a process. A second request during the stop ends the process at once.
 * @param onImpatience is called just before the second request ends this process. Other processes that this
 *   process started, such as PostgreSQL, then keep running.
 */
export function nextStop(onImpatience: () => void = () => {}): Stop {
  const stop = new AbortController()
  let askedAt: number | undefined
  const onSignal = () => {
    const now = performance.now()
    if (askedAt === undefined) {
      askedAt = now
      stop.abort()
    } else if (now - askedAt > repeatedSignalMs) {
      onImpatience()
      process.exit(130)
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  const asked = once(stop.signal, 'abort').then(() => {})
  return { asked, signal: stop.signal, now: () => stop.abort() }
}
