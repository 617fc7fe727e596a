import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'

/** Kinds of the journals that end a hold without a payment. */
const unpaidKinds = ['withdrawal.failed', 'withdrawal.cancelled', 'withdrawal.failure_charged']

/**
 * A withdrawal that took a claim before and whose money did not come back, by what cannot be rewritten: the audit log has all
 * that ever took it, the journal how each hold ended. One that was opened again, as its bytes were mined after all, ends anew.
 */
export async function findStandingClaim(on: Queryable, invoiceId: string): Promise<string | undefined> {
  const row = await one<{ id: string }>(
    on,
    sql`
    with taken as (
      select subject as id, exists (
        select from journal where journal.subject = 'withdrawal:' || audit_entry.subject || ':retaken') as is_retaken
      from audit_entry where action = 'withdrawal.requested' and details ->> 'invoiceID' = ${invoiceId}
    )
    select id from taken
    where not exists (
      select from journal
      where kind = any (${unpaidKinds}::text[]) and subject in (
        'withdrawal:' || taken.id || case when is_retaken then ':released-again' else ':released' end,
        'withdrawal:' || taken.id || case when is_retaken then ':failure-charged-again' else ':failure-charged' end))
    limit 1`,
  )
  return row?.id
}
