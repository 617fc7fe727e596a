import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Returns how long an invoice is open from its creation, in the units that PostgreSQL splits it into. */
export async function lifetimeOf(
  on: Queryable,
  invoiceId: string,
): Promise<{ readonly days?: number; readonly hours?: number; readonly minutes?: number } | null> {
  const [row] = await on.query<{ life: { days?: number; hours?: number; minutes?: number } | null }>(
    sql`select expires_at - created_at as life from invoice where id = ${invoiceId}`,
  )
  return required(row, 'the invoice').life
}
