import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import { endedUnpaid } from '../ended-unpaid-store.ts'

/**
 * A withdrawal that took this claim before and did not end unpaid. The audit log names every withdrawal that ever took the
 * claim, and the service cannot rewrite it.
 * @returns its id; undefined if the claim is really open
 */
export async function findStandingClaim(on: Queryable, invoiceId: string): Promise<string | undefined> {
  const row = await one<{ id: string }>(
    on,
    sql`
    select requested.subject as id from audit_entry requested
    where action = 'withdrawal.requested' and details ->> 'invoiceID' = ${invoiceId}
      and not ${endedUnpaid(sql`requested.subject`)}
    limit 1`,
  )
  return row?.id
}
