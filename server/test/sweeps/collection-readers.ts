/** Readers for what a merchant sees of its collections. */
import type { Queryable } from '../../src/platform/db/pool.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { collectionRecords } from '../support/outgoing/records.ts'

export interface SeenCollection {
  readonly state: string
  readonly amount: string
  readonly transactions: number
}

export function merchantSweepsOf(on: Queryable, merchantId: string): Promise<readonly SeenCollection[]> {
  return collectionRecords.all(on, { merchantId }, 'state', 'amount', 'transactions')
}

/** Returns the payloads of its `collection.completed` events. */
export async function completedOf(on: Queryable, merchantId: string) {
  return (await eventsTo(on, merchantId, 'collection.completed')).map(({ data }) => data)
}
