import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import { endedUnpaid } from '../ended-unpaid-store.ts'

/**
 * Returns a withdrawal that pays or has paid a `withdraw` invoice. The search uses the audit log, because the
 * log names every withdrawal that was ever ordered for the invoice, and the service cannot change the log.
 * @returns the withdrawal's id, or undefined if the invoice can still be claimed
 */
export async function findActiveClaim(on: Queryable, invoiceId: string): Promise<string | undefined> {
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
