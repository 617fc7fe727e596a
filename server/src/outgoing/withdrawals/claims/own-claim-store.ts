import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'

/** A withdrawal and the `withdraw` invoice for which it was ordered. */
interface OrderedClaim {
  readonly id: string
  readonly invoiceId: string
}

/**
 * Returns the ids of the withdrawals that still pay the invoice for which they were ordered. Another
 * withdrawal may pay the invoice if a withdrawal was restored after the invoice was claimed again. The
 * invoice may also be lost.
 */
export async function findOwnClaims(
  on: Queryable,
  ordered: readonly OrderedClaim[],
): Promise<ReadonlySet<string>> {
  if (ordered.length === 0) return new Set()
  const rows = await on.query<{ id: string }>(sql`
    select claim.id from unnest(
      ${ordered.map(({ id }) => id)}::uuid[], ${ordered.map(({ invoiceId }) => invoiceId)}::uuid[]
    ) claim (id, invoice_id)
    join invoice on invoice.id = claim.invoice_id
    where not exists (
      select from withdrawal other
      where other.invoice_id = claim.invoice_id and other.id <> claim.id and other.state in ('pending', 'completed')
    )`)
  return new Set(rows.map(({ id }) => id))
}
