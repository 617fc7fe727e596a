import { setMaxListeners } from 'node:events'
import { linkSignal } from './linked-signal.ts'

/**
 * Reads `from`..`to` with at most `ahead` reads under way, and yields what they give in order. A failed read is
 * thrown in its turn, after what came before it.
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
  // Each read under way listens to it.
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

/** What fails before its turn must not surface as an unhandled rejection. */
export function settled<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}
