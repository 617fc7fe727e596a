import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Login } from './account.ts'

/** Returns the account's valid logins, newest first. */
export function listLogins(on: Queryable, accountId: string): Promise<readonly Login[]> {
  return on.query<Login>(sql`
    select id, created_at as "createdAt", seen_at as "seenAt", expires_at as "expiresAt",
      client_address as address, user_agent as "userAgent"
    from session
    where account_id = ${accountId} and type = 'login' and revoked_at is null and expires_at > coffer_now()
      and coalesce(idle_expires_at > coffer_now(), true)
    order by created_at desc, id desc limit ${limits.loginsListed}`)
}

/**
 * Ends all logins of the account except one and returns the number of ended logins. API access tokens stay
 * valid.
 */
export async function revokeOtherLogins(
  tx: Tx,
  { accountId, besides }: { accountId: string; besides: string },
): Promise<number> {
  const ended = await tx.query(sql`
    update session set revoked_at = coffer_now()
    where account_id = ${accountId} and id <> ${besides} and type = 'login'
      and revoked_at is null and expires_at > coffer_now()
    returning id`)
  return ended.length
}
