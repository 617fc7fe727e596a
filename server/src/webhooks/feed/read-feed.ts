import { monotonicMs } from '../../core/clock.ts'
import { limits } from '../../core/limits.ts'
import { findFirstOwner } from '../../merchants/member-store.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { FeedWaiters } from './feed-waiters.ts'
import { type FeedPage, type FeedQuery, readFeedPage } from './store.ts'

export interface ReadFeedParts {
  readonly db: Db
  readonly feedWaiters: FeedWaiters
}

export interface FeedQuestion extends Omit<FeedQuery, 'scannedMax'> {
  /** Maximum number of seconds to wait if there is no event to read yet. */
  readonly waitS: number
}

/**
 * Returns a page of the feed. If no event is left to read, waits for the first page that is not empty. When
 * the time is over or the signal aborts, returns an empty page. No database connection is held during the
 * wait. One request reads only a limited number of events. If a long part of the history contains no
 * requested event, reading takes several requests, each of which counts towards the rate limit.
 * @throws Problem `too-many-requests` or `too-busy` if no more readers may wait.
 */
export async function readFeed(
  { db, feedWaiters }: ReadFeedParts,
  { waitS, ...question }: FeedQuestion,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endsMs = monotonicMs() + waitS * 1_000
  const read = (after: number) => readFeedPage(db, { ...question, after, scannedMax: limits.feedScannedRows })
  let ownerId: string | undefined
  let page = await read(question.after)
  for (;;) {
    const leftMs = endsMs - monotonicMs()
    if (page.bodies.length > 0 || page.next < page.last || leftMs <= 0 || signal.aborted) return page
    ownerId ??= (await findFirstOwner(db, question.merchantId)) ?? question.merchantId
    await feedWaiters.waitFor(question.merchantId, page.next, leftMs, signal, ownerId)
    page = await read(page.next)
  }
}
