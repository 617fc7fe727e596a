/** What was done to a merchant, with the accounts of those who did it. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'

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
