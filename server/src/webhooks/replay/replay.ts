import { fail, failField } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { wakeDispatchers } from '../../platform/outbox/store.ts'
import { requireEndpoint } from '../require-endpoint.ts'
import { insertReplay, lockReplays, type ReplayBounds, type ReplayOrder } from './store.ts'

export interface Replay {
  /** The number of events that are sent again. */
  readonly count: number
  /** The sequence number after which the next call continues; null if all requested events are queued. */
  readonly next: number | null
}

const apiBounds: ReplayBounds = { rowsMax: limits.replayedAtOnce, backlogMax: limits.replayBacklog }
const backlogRetryAfterS = 30

/**
 * Queues a range of a merchant's events to be sent again, with the same ids and bytes, in the order of their
 * sequences. One call queues at most `rowsMax` events.
 * @throws Problem `invalid-request` if the range is empty.
 * @throws Problem `not-found` if the merchant has no webhook, or `webhook-disabled`.
 * @throws Problem `too-many-requests` if another replay is being queued or the backlog is too long.
 */
export async function replay(db: Db, order: ReplayOrder, bounds: ReplayBounds = apiBounds): Promise<Replay> {
  const { merchantId, after, toSequence } = order
  if (toSequence !== undefined && toSequence <= after) {
    throw failField('/toSequence', 'must be greater than "after", because only events after it are sent')
  }
  return inTransaction(db, async (tx) => {
    await requireEndpoint(tx, merchantId)
    if (!(await lockReplays(tx, merchantId))) {
      throw fail('too-many-requests', 'Another replay is being queued. Try again shortly.', {
        retryAfterS: 1,
      })
    }
    const { count, next, isRefused } = await insertReplay(tx, order, bounds)
    if (isRefused) {
      const detail = `${bounds.backlogMax} deliveries or more are still to be sent: replay after they have ended.`
      throw fail('too-many-requests', detail, { retryAfterS: backlogRetryAfterS })
    }
    await wakeDispatchers(tx)
    return { count, next }
  })
}
