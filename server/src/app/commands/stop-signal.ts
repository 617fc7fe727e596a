import { once } from 'node:events'

/** When to stop: at the first SIGTERM, SIGINT or SIGHUP (a closed terminal), or when asked from inside. */
export interface Stop {
  readonly asked: Promise<void>
  /** Aborts at the same moment. */
  readonly signal: AbortSignal
  now(): void
}

/** A terminal's Ctrl-C reaches a process behind npm twice within moments: that is one wish. */
const sameWishMs = 1_000

/**
 * Takes over the signals. A second wish, once the first is being carried out, ends the process at once.
 * @param onImpatience told just before that, as what runs beside this process then goes on running
 */
export function nextStop(onImpatience: () => void = () => {}): Stop {
  const stop = new AbortController()
  let askedAt: number | undefined
  const onSignal = () => {
    const now = performance.now()
    if (askedAt === undefined) {
      askedAt = now
      stop.abort()
    } else if (now - askedAt > sameWishMs) {
      onImpatience()
      process.exit(130)
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  const asked = once(stop.signal, 'abort').then(() => {})
  return { asked, signal: stop.signal, now: () => stop.abort() }
}
