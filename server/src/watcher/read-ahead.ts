import type { BlockFacts, ChainReader } from '../chains/port.ts'
import { linkSignal } from '../core/linked-signal.ts'

/**
 * Reads the blocks `from`..`to` with at most `ahead` reads under way, and yields them in order; undefined where the
 * node has none. A failed read is thrown in its turn, after the blocks before it.
 */
export async function* readAhead(
  chain: Pick<ChainReader, 'readBlock'>,
  from: number,
  to: number,
  ahead: number,
  signal: AbortSignal,
): AsyncGenerator<BlockFacts | undefined> {
  const stop = new AbortController()
  const either = linkSignal([signal, stop.signal])
  const reads: Promise<Read>[] = []
  let next = from
  try {
    while (next <= to || reads.length > 0) {
      while (next <= to && reads.length < ahead) {
        reads.push(settled(chain.readBlock(next, either.signal)))
        next += 1
      }
      const read = await reads.shift()
      if (read === undefined) return
      if ('error' in read) throw read.error
      yield read.facts
    }
  } finally {
    stop.abort()
    either.release()
  }
}

type Read = { readonly facts: BlockFacts | undefined } | { readonly error: unknown }

/** A read that fails before its turn must not surface as an unhandled rejection. */
function settled(read: Promise<BlockFacts | undefined>): Promise<Read> {
  return read.then(
    (facts) => ({ facts }),
    (error: unknown) => ({ error }),
  )
}
