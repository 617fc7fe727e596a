import type { Queryable } from '../../../src/platform/db/pool.ts'
import { withdrawalRecords } from './records.ts'

/** Returns a withdrawal drawn at random among those that match, if there is one. */
export async function anyWithdrawal(
  on: Queryable,
  where: { readonly merchantId?: string; readonly state?: string; readonly stage?: string },
): Promise<readonly { readonly id: string }[]> {
  const found = await withdrawalRecords.all(on, where, 'id')
  const place = Math.floor(Math.random() * found.length)
  return found.slice(place, place + 1)
}
