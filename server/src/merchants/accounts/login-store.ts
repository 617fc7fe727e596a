import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Login } from './account.ts'

/** The account's live logins, the newest first. */
export function listLogins(on: Queryable, accountId: string): Promise<readonly Login[]> {
  return on.query<Login>(sql`
    select id, created_at as "createdAt", seen_at as "seenAt", expires_at as "expiresAt",
      client_address as address, user_agent as "userAgent"
    from session
    where account_id = ${accountId} and type = 'login' and revoked_at is null and expires_at > now()
      and coalesce(idle_expires_at > now(), true)
    order by created_at desc, id desc limit ${limits.loginsListed}`)
}

/** Ends every login of the account but one, and no API access token; returns how many. */
export async function revokeOtherLogins(
  tx: Tx,
  { accountId, besides }: { accountId: string; besides: string },
): Promise<number> {
  const ended = await tx.query(sql`
    update session set revoked_at = now()
    where account_id = ${accountId} and id <> ${besides} and type = 'login'
      and revoked_at is null and expires_at > now()
    returning id`)
  return ended.length
}
