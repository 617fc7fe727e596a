import { once } from 'node:events'

/** When to stop: at the first SIGTERM or SIGINT, or when asked from inside. */
export interface Stop {
  readonly asked: Promise<void>
  /** Aborts at the same moment. */
  readonly signal: AbortSignal
  now(): void
}

/** A terminal's Ctrl-C reaches a process behind npm twice within moments: that is one wish. */
const sameWishMs = 1_000

/** Takes over both signals. A second wish, once the first is being carried out, ends the process at once. */
export function nextStop(): Stop {
  const stop = new AbortController()
  let askedAt: number | undefined
  const onSignal = () => {
    const now = performance.now()
    if (askedAt === undefined) {
      askedAt = now
      stop.abort()
    } else if (now - askedAt > sameWishMs) {
      process.exit(130)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  const asked = once(stop.signal, 'abort').then(() => {})
  return { asked, signal: stop.signal, now: () => stop.abort() }
}
