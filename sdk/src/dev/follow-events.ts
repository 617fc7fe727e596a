/** A merchant's events, read from the feed one after the other for as long as anybody wants them. */
import type { Client } from '../client.ts'
import { CofferError } from '../coffer-error.ts'
import type { CofferEvent } from '../event.ts'
import { pause } from '../pause.ts'
import { isPassing } from './remedy.ts'
import { UsageError } from './usage-error.ts'

export interface FeedOptions {
  readonly coffer: Client
  readonly merchantID: string
  /** Called when the server is gone, and when it is back. */
  readonly onLost: (error: CofferError) => void
  readonly onBack: () => void
  /** Called when the server turns out to have lost the events that came after that sequence. */
  readonly onForgotten: (sequence: number) => void
  /** Called with each page, before its events: the incarnation of the server's history, which deliveries name in a header. */
  readonly onIncarnation?: (incarnation: number) => void
  readonly signal: AbortSignal
  /** Between two questions that brought nothing, and the first time after a failure. */
  readonly restMs?: number
}

/** How long the server may keep a question that it has no answer to yet. */
const waitS = 25
const restMsMax = 10_000

/**
 * Every event after that sequence, in order and once, over any number of lost connections.
 * @throws UsageError when an older server has fewer events than it told: its numbers begin anew behind those
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
    // Servers of before do not tell it.
    if (page.incarnation !== undefined) options.onIncarnation?.(page.incarnation)
    // Such a server never gives a number again: what it lost is told of, and reading goes on.
    if (page.readAgainAfter !== undefined) {
      onForgotten(page.readAgainAfter)
      last = page.readAgainAfter
    } else if (page.last < last) throw new UsageError(renumbered(last, page.last))
    for (const event of page.data) {
      yield event
      last = event.sequence
    }
    // A server that does not wait answers at once: it is not asked again at once.
    if (page.data.length === 0) await pause(Math.max(0, restMs - (performance.now() - askedAt)), signal)
  }
}

function ask({ coffer, merchantID, signal }: FeedOptions, after: number) {
  return coffer.listEvents({ merchantID, after, limit: 100, signal, waitS })
}

function renumbered(last: number, newest: number): string {
  return `Event ${last} was told, and the newest is now ${newest}: this server was restored from a backup, and numbers its events anew from there. --from ${newest} goes on from what it has; events told before may come again with other numbers.`
}
