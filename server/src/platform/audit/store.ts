import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../db/transaction.ts'
import type { AuditEntry } from './audit-entry.ts'

/** Adds an entry in the transaction of the action itself, so that neither is committed without the other. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { accountId = null, merchantId = null, action, subject, details = {} } = entry
  await tx.query(sql`
    insert into audit_entry (id, account_id, merchant_id, action, subject, details)
    values (${newId()}, ${accountId}, ${merchantId}, ${action}, ${subject}, ${JSON.stringify(details)})`)
}
