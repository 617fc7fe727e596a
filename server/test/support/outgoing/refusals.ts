import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/**
 * Returns the current refusals of the signer, ordered by kind. `rests` is true if the signer is not asked
 * again within 9 minutes.
 */
export function refusalsNow(
  on: Queryable,
): Promise<readonly { readonly id: string; readonly kind: string; readonly rests: boolean }[]> {
  return on.query(sql`
    select outgoing_transaction_id as id, kind, retry_at > now() + interval '9 minutes' as rests
    from outgoing_refusal order by kind`)
}
