/** Reads a merchant's events from the feed, one after another, until the signal is aborted. */
import type { Client } from '../client.ts'
import { CofferError } from '../coffer-error.ts'
import type { CofferEvent } from '../event.ts'
import { pause } from '../pause.ts'
import { isPassing } from './remedy.ts'
import { UsageError } from './usage-error.ts'

export interface FeedOptions {
  readonly coffer: Client
  readonly merchantID: string
  /** Called when the server stops answering, and when it answers again. */
  readonly onLost: (error: CofferError) => void
  readonly onBack: () => void
  /** Called when the server reports that it lost all events with a sequence number above `sequence`. */
  readonly onForgotten: (sequence: number) => void
  /**
   * Called for each page of the feed, before the events of the page are yielded. The incarnation identifies
   * the server's history of events. A webhook request contains the incarnation in a header.
   */
  readonly onIncarnation?: (incarnation: number) => void
  readonly signal: AbortSignal
  /** Pause in milliseconds after a request without events, and after the first failure. */
  readonly restMs?: number
}

/** Seconds for which the server may keep a request open if there are no events. */
const waitS = 25
const restMsMax = 10_000

/**
 * Yields each event with a sequence number above `after`, exactly once and in order, even if the connection
 * is lost several times.
 * @throws UsageError if the server's newest event has a lower number than the last event that was read, or
 *   than `after`. This happens if a server of an older version was restored from a backup: it then uses
 *   numbers again.
 */
export async function* followEvents(options: FeedOptions, after: number): AsyncGenerator<CofferEvent, never> {
  const { onLost, onBack, onForgotten, signal, restMs = 1_000 } = options
  let failures = 0
  for (let last = after; ; ) {
    const askedAt = performance.now()
    const page = await ask(options, last).catch((error: unknown) => {
      if (!(error instanceof CofferError && isPassing(error))) throw error
      if (failures === 0) onLost(error)
      return error
    })
    if (page instanceof CofferError) {
      failures += 1
      await pause(Math.max((page.retryAfterS ?? 0) * 1_000, Math.min(restMsMax, restMs * failures)), signal)
      continue
    }
    if (failures > 0) onBack()
    failures = 0
    // Servers of older versions send no incarnation.
    if (page.incarnation !== undefined) options.onIncarnation?.(page.incarnation)
    // A server that sends `readAgainAfter` lost the events after this sequence number. Such a server never uses
    // a number twice, so reading continues after this number. The caller is only told of the loss.
    if (page.readAgainAfter !== undefined) {
      onForgotten(page.readAgainAfter)
      last = page.readAgainAfter
    } else if (page.last < last) throw new UsageError(renumbered(last, page.last))
    for (const event of page.data) {
      yield event
      last = event.sequence
    }
    // A server that does not support `waitS` answers immediately, so the next request is delayed here.
    if (page.data.length === 0) await pause(Math.max(0, restMs - (performance.now() - askedAt)), signal)
  }
}

function ask({ coffer, merchantID, signal }: FeedOptions, after: number) {
  return coffer.listEvents({ merchantID, after, limit: 100, signal, waitS })
}

function renumbered(last: number, newest: number): string {
  return `Event ${last} was received, but the newest event is now ${newest}: this server was restored from a backup and numbers its events anew from there. Continue with --from ${newest}; events that were received before may come again with other numbers.`
}
