/** The SQL that reads a merchant's audit log, with the accounts of the actors. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'

export interface ListedEntry {
  readonly id: string
  readonly happenedAt: Date
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
  /** Null if the actor was an API key, the server's shell or Coffer itself. */
  readonly accountId: string | null
  readonly email: string | null
}

/** Returns one page of a merchant's audit log, newest first, and the number of entries in the whole log. */
export async function listAudit(
  on: Queryable,
  merchantId: string,
  { rows, skipped }: { readonly rows: number; readonly skipped: number },
): Promise<{ readonly entries: readonly ListedEntry[]; readonly total: number }> {
  const entries = await on.query<ListedEntry>(sql`
    select entry.id, happened_at as "happenedAt", action, subject, details, account_id as "accountId", account.email
    from audit_entry entry left join account on account.id = account_id
    where merchant_id = ${merchantId}
    order by happened_at desc, sequence desc limit ${rows} offset ${skipped}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from audit_entry where merchant_id = ${merchantId}`,
  )
  return { entries, total: counted?.total ?? 0 }
}
