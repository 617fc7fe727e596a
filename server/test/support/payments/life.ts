import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/**
 * Returns the time from an invoice's creation to its end, split by PostgreSQL into days, hours and minutes.
 */
export async function lifetimeOf(
  on: Queryable,
  invoiceId: string,
): Promise<{ readonly days?: number; readonly hours?: number; readonly minutes?: number } | null> {
  const [row] = await on.query<{ life: { days?: number; hours?: number; minutes?: number } | null }>(
    sql`select expires_at - created_at as life from invoice where id = ${invoiceId}`,
  )
  return required(row, 'the invoice').life
}
