import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { AuditEntry } from './audit-entry.ts'

/** Adds an entry in the transaction of the act itself, so that neither is without the other. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { accountId = null, merchantId = null, action, subject, details = {} } = entry
  await tx.query(sql`
    insert into audit_entry (id, account_id, merchant_id, action, subject, details)
    values (${newId()}, ${accountId}, ${merchantId}, ${action}, ${subject}, ${JSON.stringify(details)})`)
}

export interface ListedEntry {
  readonly id: string
  readonly happenedAt: Date
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
  /** Null for what happened by itself, by an API key, or from the server's shell. */
  readonly accountId: string | null
  readonly email: string | null
}

/** One page of what was done to a merchant, the newest first, and how many entries there are. */
export async function listAudit(
  on: Queryable,
  merchantId: string,
  { rows, skipped }: { readonly rows: number; readonly skipped: number },
): Promise<{ readonly entries: readonly ListedEntry[]; readonly total: number }> {
  const entries = await on.query<ListedEntry>(sql`
    select entry.id, happened_at as "happenedAt", action, subject, details, account_id as "accountId", account.email
    from audit_entry entry left join account on account.id = account_id
    where merchant_id = ${merchantId}
    order by happened_at desc, entry.id desc limit ${rows} offset ${skipped}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from audit_entry where merchant_id = ${merchantId}`,
  )
  return { entries, total: counted?.total ?? 0 }
}
