/** When to stop: at the first SIGTERM or SIGINT, or when asked from inside. */
export interface Stop {
  readonly asked: Promise<void>
  now(): void
}

/** A terminal's Ctrl-C reaches a process behind npm twice within moments: that is one wish. */
const sameWishMs = 1_000

/** Takes over both signals. A second wish, once the first is being carried out, ends the process at once. */
export function nextStop(): Stop {
  const { promise, resolve } = withResolver()
  let askedAt: number | undefined
  const onSignal = () => {
    const now = performance.now()
    if (askedAt === undefined) {
      askedAt = now
      resolve()
    } else if (now - askedAt > sameWishMs) {
      process.exit(130)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return { asked: promise, now: resolve }
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
