import { setMaxListeners } from 'node:events'
import { linkSignal } from './linked-signal.ts'

/**
 * Calls `read` for the heights `from` to `to`, with at most `ahead` concurrent reads, and yields the results
 * in order. The error of a failed read is thrown only after the results of all lower heights were yielded.
 */
export async function* readAhead<T>(
  read: (height: number, signal: AbortSignal) => Promise<T>,
  from: number,
  to: number,
  ahead: number,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stop = new AbortController()
  const either = linkSignal([signal, stop.signal])
  // The number of listeners is unlimited, because every pending read adds a listener to this signal.
  setMaxListeners(0, either.signal)
  const reads: Promise<Outcome<T>>[] = []
  let next = from
  try {
    while (next <= to || reads.length > 0) {
      while (next <= to && reads.length < ahead) {
        reads.push(settled(read(next, either.signal)))
        next += 1
      }
      const outcome = await reads.shift()
      if (outcome === undefined) return
      if ('error' in outcome) throw outcome.error
      yield outcome.value
    }
  } finally {
    stop.abort()
    either.release()
  }
}

export type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/**
 * Converts a rejection into a value. Without this conversion, a read that fails before it is awaited would be
 * an unhandled rejection.
 */
export function settled<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}
