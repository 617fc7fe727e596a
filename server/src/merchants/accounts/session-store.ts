/** The SQL of sessions, which are logins and API access tokens. */
import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Access, Role } from '../../platform/http/auth.ts'
import type { AccessToken, Session } from './account.ts'
import { lockAccount } from './store.ts'

/** The access of a valid session to a merchant. */
export interface SessionAccess {
  readonly isOperator: boolean
  readonly access: Access
  readonly role: Role | undefined
}

/**
 * Returns the access of a session. Every request with a Bearer token runs this query, so one statement reads
 * session, account, merchant and membership.
 */
export async function findSessionAccess(
  on: Queryable,
  {
    sessionId,
    accountId,
    merchantId,
  }: { sessionId: string; accountId: string; merchantId: string | undefined },
): Promise<SessionAccess | undefined> {
  const row = await one<{ is_operator: boolean; merchant_exists: boolean; role: Role | null }>(
    on,
    named(
      'session_access',
      sql`
        select a.is_operator, m.id is not null as merchant_exists, mb.role
        from session s
        join account a on a.id = s.account_id
        left join merchant m on m.id = ${merchantId ?? null}::uuid and m.deleted_at is null
        left join member mb on mb.merchant_id = m.id and mb.account_id = a.id
        where s.id = ${sessionId}::uuid and a.id = ${accountId}::uuid
          and s.revoked_at is null and s.expires_at > coffer_now()`,
    ),
  )
  if (row === undefined) return undefined
  return { isOperator: row.is_operator, access: accessOf(merchantId, row), role: row.role ?? undefined }
}

/** Returns the access to a merchant, from the row that a session query returned. */
export function accessOf(
  merchantId: string | undefined,
  row: { merchant_exists: boolean; role: Role | null },
): Access {
  if (merchantId === undefined) return 'none'
  if (!row.merchant_exists) return 'missing'
  return row.role === null ? 'forbidden' : 'allowed'
}

/**
 * Ends every login and API access token of the account except `besides`, and returns the number of ended
 * sessions.
 */
export async function revokeSessions(
  tx: Tx,
  { accountId, besides = null }: { accountId: string; besides?: string | null },
): Promise<number> {
  const ended = await tx.query(sql`
    update session set revoked_at = coffer_now()
    where account_id = ${accountId} and id is distinct from ${besides}::uuid
      and revoked_at is null and expires_at > coffer_now()
    returning id`)
  return ended.length
}

export interface NewLogin {
  readonly sessionId: string
  readonly accountId: string
  /**
   * The login starts only if the account still has this password hash. Undefined for a login from the shell.
   */
  readonly passwordHash?: string
  readonly refreshHash?: Buffer
  readonly lifetimeMs: number
  readonly idleMs?: number
  /** Hash of the cookie; set only for a browser's login. */
  readonly cookieHash?: Buffer
  readonly clientAddress?: string
  readonly userAgent?: string | undefined
}

/** A started login. `startedLately` is the number of other logins of the account in the last hour. */
export type StartedLogin = Session & { readonly startedLately: number }

/**
 * Starts a login that lasts `lifetimeMs` from the database's current time. Also deletes the account's
 * sessions that expired more than a week ago. If the account has more logins than `limits.loginsKept`,
 * deletes the oldest, which ends them. Returns undefined if the password has changed. A login and a password
 * change lock the account's row, so that one of them waits for the other.
 */
export async function insertLogin(on: Queryable, login: NewLogin): Promise<StartedLogin | undefined> {
  const { sessionId, accountId, passwordHash = null, refreshHash = null, lifetimeMs, idleMs = null } = login
  const { cookieHash = null, clientAddress = null, userAgent = null } = login
  const row = await one<{ expires_at: Date; started_lately: number }>(
    on,
    sql`
      with gone as (
        delete from session
        where account_id = ${accountId} and (
          expires_at < coffer_now() - interval '7 days'
          or id in (
            select id from session where account_id = ${accountId} and type = 'login'
            order by created_at desc, id desc offset ${limits.loginsKept - 1}
          )
        )
      )
      insert into session (
        id, account_id, type, refresh_hash, cookie_hash, expires_at, idle_expires_at, client_address, user_agent
      )
      select ${sessionId}, id, 'login', ${refreshHash}, ${cookieHash}, coffer_now() + ${lifetimeMs} * interval '1 millisecond',
        coffer_now() + ${idleMs}::bigint * interval '1 millisecond', ${clientAddress}, ${userAgent}
      from (
        select id from account
        where id = ${accountId} and password_hash = coalesce(${passwordHash}, password_hash) for share
      ) owner
      returning expires_at, (
        select count(*) from session
        where account_id = ${accountId} and type = 'login' and created_at > coffer_now() - interval '1 hour'
      ) as started_lately`,
  )
  if (row === undefined) return undefined
  return { id: sessionId, accountId, expiresAt: row.expires_at, startedLately: row.started_lately }
}

function expiryOf(row: { expires_at: Date } | undefined): Date {
  if (row === undefined) throw new Error('an insert returned no row')
  return row.expires_at
}

/**
 * Replaces the refresh hash of a valid login. Returns undefined if `oldHash` is not the login's current
 * refresh hash, or if the login has ended.
 */
export async function rotateRefresh(
  on: Queryable,
  rotation: { sessionId: string; oldHash: Buffer; newHash: Buffer; idleMs: number },
): Promise<Session | undefined> {
  const row = await one<{ account_id: string; expires_at: Date }>(
    on,
    sql`
      update session set refresh_hash = ${rotation.newHash},
        idle_expires_at = coffer_now() + ${rotation.idleMs} * interval '1 millisecond'
      where id = ${rotation.sessionId} and refresh_hash = ${rotation.oldHash}
        and revoked_at is null and expires_at > coffer_now() and coalesce(idle_expires_at > coffer_now(), true)
      returning account_id, expires_at`,
  )
  if (row === undefined) return undefined
  return { id: rotation.sessionId, accountId: row.account_id, expiresAt: row.expires_at }
}

/**
 * Ends a session and returns the id of its account. Returns undefined if the session had ended before or does
 * not exist.
 */
export async function revokeSession(on: Queryable, sessionId: string): Promise<string | undefined> {
  const row = await one<{ account_id: string }>(
    on,
    sql`
      update session set revoked_at = coffer_now()
      where id = ${sessionId} and revoked_at is null and expires_at > coffer_now()
      returning account_id`,
  )
  return row?.account_id
}

export type AccessTokenInsertion = 'not-a-login' | 'too-many' | Session

/**
 * Creates an API access token. Returns `not-a-login` if the session that creates the token is not a login,
 * and `too-many` if the account already has `countMax` tokens.
 */
export async function insertAccessToken(
  tx: Tx,
  token: { accountId: string; bySessionId: string; name: string; days: number; countMax: number },
): Promise<AccessTokenInsertion> {
  // Locking the account's row serialises concurrent creations, so the count is exact.
  await lockAccount(tx, token.accountId)
  const facts = await one<{ is_login: boolean; live: number }>(
    tx,
    sql`
      select
        exists (
          select 1 from session where id = ${token.bySessionId} and type = 'login' and revoked_at is null
        ) as is_login,
        (select count(*) from session where account_id = ${token.accountId} and type = 'access_token'
          and revoked_at is null and expires_at > coffer_now()) as live`,
  )
  if (facts?.is_login !== true) return 'not-a-login'
  if (facts.live >= token.countMax) return 'too-many'
  const id = newId()
  const row = await one<{ expires_at: Date }>(
    tx,
    sql`
      insert into session (id, account_id, type, name, expires_at)
      values (${id}, ${token.accountId}, 'access_token', ${token.name}, coffer_now() + ${token.days} * interval '24 hours')
      returning expires_at`,
  )
  return { id, accountId: token.accountId, expiresAt: expiryOf(row) }
}

/** Returns the account's valid access tokens, newest first. */
export async function listAccessTokens(on: Queryable, accountId: string): Promise<readonly AccessToken[]> {
  const rows = await on.query<{ id: string; name: string; created_at: Date; expires_at: Date }>(sql`
    select id, name, created_at, expires_at from session
    where account_id = ${accountId} and type = 'access_token' and revoked_at is null and expires_at > coffer_now()
    order by created_at desc, id desc`)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }))
}

/** Ends a login or access token of the account. Returns `missing` if the account has no such session. */
export async function revokeOwnSession(
  tx: Tx,
  session: { readonly type: 'login' | 'access_token'; readonly id: string; readonly accountId: string },
): Promise<'revoked' | 'ended-before' | 'missing'> {
  const row = await one<{ live: boolean }>(
    tx,
    sql`
      select revoked_at is null as live from session
      where id = ${session.id} and account_id = ${session.accountId} and type = ${session.type} for update`,
  )
  if (row === undefined) return 'missing'
  if (!row.live) return 'ended-before'
  await tx.query(sql`update session set revoked_at = coffer_now() where id = ${session.id}`)
  return 'revoked'
}
