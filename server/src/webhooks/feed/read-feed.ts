import { limits } from '../../core/limits.ts'
import { findFirstOwner } from '../../merchants/member-store.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Arrivals } from './arrivals.ts'
import { type FeedPage, type FeedQuery, readFeedPage } from './store.ts'

export interface ReadFeedParts {
  readonly db: Db
  readonly arrivals: Arrivals
}

export interface FeedQuestion extends Omit<FeedQuery, 'scannedMax'> {
  /** How long to wait where there is nothing to read yet. */
  readonly waitS: number
}

/**
 * A page of the feed; where nothing is left to read, the first that is not empty, or the empty one when the time is over
 * or the signal aborts. No connection is held while it waits, and it looks on only for what has come meanwhile: a long
 * past with nothing wanted in it is looked through by as many requests, each of which counts.
 * @throws Problem too-many-requests, too-busy where no more may wait
 */
export async function readFeed(
  { db, arrivals }: ReadFeedParts,
  { waitS, ...question }: FeedQuestion,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endsMs = performance.now() + waitS * 1_000
  const read = (after: number) => readFeedPage(db, { ...question, after, scannedMax: limits.feedScannedRows })
  let ownerId: string | undefined
  let page = await read(question.after)
  for (;;) {
    const leftMs = endsMs - performance.now()
    if (page.bodies.length > 0 || page.next < page.last || leftMs <= 0 || signal.aborted) return page
    ownerId ??= (await findFirstOwner(db, question.merchantId)) ?? question.merchantId
    await arrivals.waitFor(question.merchantId, page.next, leftMs, signal, ownerId)
    page = await read(page.next)
  }
}
