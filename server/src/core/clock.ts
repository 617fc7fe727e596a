/**
 * The time of this process. It sets the delays of loops and the timestamps in tokens. It never decides when
 * quotes, holds or retries expire. The database's time decides that, because all processes share it. A
 * simulation replaces the source of time of the whole process.
 */
export interface TimeSource {
  /** Returns the milliseconds since 1970, which may jump when the clock of the machine is set. */
  wallMs(): number
  /** Returns the milliseconds since an arbitrary moment. The value never decreases. */
  monotonicMs(): number
  /** Calls `onEnd` once after `ms`, unless the timer is cancelled before. */
  startTimer(onEnd: () => void, ms: number): Timer
}

export interface Timer {
  cancel(): void
  /** Lets the process end although the timer is running. Returns the timer. */
  unref(): Timer
}

const systemTime: TimeSource = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  startTimer: (onEnd, ms) => {
    const timeout = setTimeout(onEnd, ms)
    const timer: Timer = {
      cancel: () => clearTimeout(timeout),
      unref: () => {
        timeout.unref()
        return timer
      },
    }
    return timer
  },
}

let time = systemTime

/**
 * Replaces the source of time of the whole process. Returns a function that restores the previous source.
 * Nested replacements must be undone in reverse order.
 */
export function replaceTime(other: TimeSource): () => void {
  const former = time
  time = other
  return () => {
    time = former
  }
}

/** Returns the milliseconds since 1970. */
export function wallMs(): number {
  return time.wallMs()
}

/** Returns the milliseconds since an arbitrary moment, for durations. The value never decreases. */
export function monotonicMs(): number {
  return time.monotonicMs()
}

export function startTimer(onEnd: () => void, ms: number): Timer {
  return time.startTimer(onEnd, ms)
}

/** The clock that loops use. A test passes its own clock to the part that it tests. */
export interface Clock {
  now(): Date
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(wallMs()),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        timer.cancel()
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = startTimer(done, ms)
      signal?.addEventListener('abort', done, { once: true })
    }),
}
