import { fail, failField } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { wakeDispatchers } from '../../platform/outbox/store.ts'
import { requireEndpoint } from '../require-endpoint.ts'
import { insertReplay, lockReplays, type ReplayBounds, type ReplayOrder } from './store.ts'

export interface Replay {
  /** How many events are sent again. */
  readonly count: number
  /** Where to go on; null where all are queued that were asked for. */
  readonly next: number | null
}

const apiBounds: ReplayBounds = { rowsMax: limits.replayedAtOnce, backlogMax: limits.replayBacklog }
const backlogRetryAfterS = 30

/**
 * Queues events again, the same ids and bytes, at most so many at once and in the order of their numbers.
 * @throws Problem invalid-request, not-found without a webhook, webhook-disabled, too-many-requests while much is still to be sent
 */
export async function replay(db: Db, order: ReplayOrder, bounds: ReplayBounds = apiBounds): Promise<Replay> {
  const { merchantId, after, toSequence } = order
  if (toSequence !== undefined && toSequence <= after) {
    throw failField('/toSequence', 'must be greater than "after": events behind that are sent')
  }
  return inTransaction(db, async (tx) => {
    await requireEndpoint(tx, merchantId)
    if (!(await lockReplays(tx, merchantId))) {
      throw fail('too-many-requests', 'Another replay is being queued.', { retryAfterS: 1 })
    }
    const { count, next, isRefused } = await insertReplay(tx, order, bounds)
    if (isRefused) {
      const detail = `${bounds.backlogMax} deliveries or more are still to be sent: replay when they are done.`
      throw fail('too-many-requests', detail, { retryAfterS: backlogRetryAfterS })
    }
    await wakeDispatchers(tx)
    return { count, next }
  })
}
