import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Role } from '../../platform/http/auth.ts'
import { accessOf, type SessionAccess } from './session-store.ts'

export interface CookieAccess extends SessionAccess {
  readonly sessionId: string
  readonly accountId: string
  /** Whether its use was last noted so long ago that it is to be noted again. */
  readonly isSeenDue: boolean
}

interface Idle {
  readonly idleMs: number
  readonly seenEveryMs: number
}

/** `findSessionAccess` for a cookie. A session that was not used for `idleMs` has ended. */
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
          s.idle_expires_at < now() + ${idleMs - seenEveryMs} * interval '1 millisecond' as is_seen_due
        from session s
        join account a on a.id = s.account_id
        left join merchant m on m.id = ${merchantId ?? null}::uuid and m.deleted_at is null
        left join member mb on mb.merchant_id = m.id and mb.account_id = a.id
        where s.cookie_hash = ${cookieHash}
          and s.revoked_at is null and s.expires_at > now() and s.idle_expires_at > now()`,
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

/** Notes that a session is in use, if nobody else did: it goes on for `idleMs` from now. */
export async function noteSessionSeen(
  on: Queryable,
  { sessionId, idleMs, seenEveryMs }: Idle & { sessionId: string },
): Promise<void> {
  await on.query(sql`
    update session set seen_at = now(), idle_expires_at = now() + ${idleMs} * interval '1 millisecond'
    where id = ${sessionId} and revoked_at is null and idle_expires_at > now()
      and idle_expires_at < now() + ${idleMs - seenEveryMs} * interval '1 millisecond'`)
}

/** Ends the live session of a cookie, and says whose it was. */
export function revokeCookieSession(
  tx: Tx,
  cookieHash: Buffer,
): Promise<{ readonly sessionId: string; readonly accountId: string } | undefined> {
  return one(
    tx,
    sql`
      update session set revoked_at = now()
      where cookie_hash = ${cookieHash} and revoked_at is null and expires_at > now() and idle_expires_at > now()
      returning id as "sessionId", account_id as "accountId"`,
  )
}
