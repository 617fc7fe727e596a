import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Role } from '../../platform/http/auth.ts'
import { accessOf, type SessionAccess } from './session-store.ts'

export interface CookieAccess extends SessionAccess {
  readonly sessionId: string
  readonly accountId: string
  /** Whether the last recorded use of the session is so old that the current use must be recorded. */
  readonly isSeenDue: boolean
}

interface Idle {
  readonly idleMs: number
  readonly seenEveryMs: number
}

/**
 * Returns the access of the session to which a cookie belongs, in the form of `findSessionAccess`. A session
 * that was not used for `idleMs` has ended.
 */
export async function findCookieAccess(
  on: Queryable,
  {
    cookieHash,
    merchantId,
    idleMs,
    seenEveryMs,
  }: Idle & { cookieHash: Buffer; merchantId: string | undefined },
): Promise<CookieAccess | undefined> {
  const row = await one<{
    id: string
    account_id: string
    is_operator: boolean
    merchant_exists: boolean
    role: Role | null
    is_seen_due: boolean
  }>(
    on,
    named(
      'cookie_access',
      sql`
        select s.id, s.account_id, a.is_operator, m.id is not null as merchant_exists, mb.role,
          s.idle_expires_at < coffer_now() + ${idleMs - seenEveryMs} * interval '1 millisecond' as is_seen_due
        from session s
        join account a on a.id = s.account_id
        left join merchant m on m.id = ${merchantId ?? null}::uuid and m.deleted_at is null
        left join member mb on mb.merchant_id = m.id and mb.account_id = a.id
        where s.cookie_hash = ${cookieHash}
          and s.revoked_at is null and s.expires_at > coffer_now() and s.idle_expires_at > coffer_now()`,
    ),
  )
  if (row === undefined) return undefined
  return {
    sessionId: row.id,
    accountId: row.account_id,
    isOperator: row.is_operator,
    access: accessOf(merchantId, row),
    role: row.role ?? undefined,
    isSeenDue: row.is_seen_due,
  }
}

/**
 * Records that a session is in use and extends the session to `idleMs` from now. Does nothing if another
 * request has just recorded a use.
 */
export async function noteSessionSeen(
  on: Queryable,
  { sessionId, idleMs, seenEveryMs }: Idle & { sessionId: string },
): Promise<void> {
  await on.query(sql`
    update session set seen_at = coffer_now(), idle_expires_at = coffer_now() + ${idleMs} * interval '1 millisecond'
    where id = ${sessionId} and revoked_at is null and idle_expires_at > coffer_now()
      and idle_expires_at < coffer_now() + ${idleMs - seenEveryMs} * interval '1 millisecond'`)
}

/**
 * Ends the session of a cookie, and returns the session and its account. Returns undefined if the cookie has
 * no session, or if the session has ended before.
 */
export function revokeCookieSession(
  tx: Tx,
  cookieHash: Buffer,
): Promise<{ readonly sessionId: string; readonly accountId: string } | undefined> {
  return one(
    tx,
    sql`
      update session set revoked_at = coffer_now()
      where cookie_hash = ${cookieHash} and revoked_at is null and expires_at > coffer_now() and idle_expires_at > coffer_now()
      returning id as "sessionId", account_id as "accountId"`,
  )
}
