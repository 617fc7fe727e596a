import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { wakeDispatchers } from '../outbox/store.ts'
import { countPending, insertReplay } from './replay-store.ts'
import { requireEndpoint } from './require-endpoint.ts'

/** A request to send a stretch of events again. `id` names what it makes: asked again, it makes nothing more. */
export interface ReplayOrder {
  readonly id: string
  readonly merchantId: string
  /** The events behind this number. */
  readonly after: number
  /** Up to this one; to the newest when absent. */
  readonly toSequence: number | undefined
}

export interface Replay {
  /** How many events are sent again. */
  readonly count: number
  /** Where to go on; null where all are queued that were asked for. */
  readonly next: number | null
}

const retryAfterS = 30

/**
 * Queues events again, the same ids and bytes, at most so many at once and in the order of their numbers. They become due
 * one after the other, so that what is new meanwhile is not behind all of them.
 * @throws Problem not-found without a webhook, webhook-disabled, too-many-requests while much is still to be sent
 */
export async function replay(db: Db, order: ReplayOrder): Promise<Replay> {
  const { merchantId } = order
  await requireEndpoint(db, merchantId)
  return inTransaction(db, async (tx) => {
    const replayed = await insertReplay(tx, order, limits.replayedAtOnce)
    // What this request queued before, in a run that was not answered, does not keep it from its answer.
    if (
      replayed.queued > 0 &&
      (await countPending(tx, merchantId, limits.replayBacklog)) >= limits.replayBacklog
    ) {
      const detail = `${limits.replayBacklog} deliveries or more are still to be sent: replay when they are done.`
      throw fail('too-many-requests', detail, { retryAfterS })
    }
    await wakeDispatchers(tx)
    return { count: replayed.count, next: replayed.next }
  })
}
