/** What a merchant gets to see of its collections. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { toldTo } from '../support/told.ts'

export interface SeenCollection {
  readonly state: string
  readonly amount: string
  readonly transactions: number
}

export function collectionsOf(on: Queryable, merchantId: string): Promise<readonly SeenCollection[]> {
  return on.query(
    sql`select state, amount::text, transactions from collection where merchant_id = ${merchantId} order by created_at, id`,
  )
}

/** What its events say of those that came to an end. */
export async function completedOf(on: Queryable, merchantId: string) {
  return (await toldTo(on, merchantId, 'collection.completed')).map(({ data }) => data)
}
