/**
 * Logins of browsers. They use the same sessions as logins with tokens, but a cookie identifies the session.
 */

import { createHash } from 'node:crypto'
import { randomBytes } from '../../core/chance.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Authentication } from '../../platform/http/auth.ts'
import type { Account, Browser } from './account.ts'
import { findCookieAccess, noteSessionSeen, revokeCookieSession } from './cookie-store.ts'
import { type LoginTyped, noteStart, type ProofParts, proveLogin } from './prove-login.ts'
import { hasConfirmedFactor } from './second-factor/store.ts'
import { insertLogin } from './session-store.ts'
import type { Tokens } from './tokens.ts'

export interface DashboardSessionParts extends ProofParts {
  readonly tokens: Tokens
  /** Maximum lifetime of a login, even if the login is used. */
  readonly sessionLifetimeMs: number
  /** Time after which a login ends if it is not used. */
  readonly sessionIdleMs: number
}

export interface OpenedSession {
  readonly account: Account
  readonly hasSecondFactor: boolean
  /** Only the browser keeps the cookie; the database stores the hash of the cookie. */
  readonly cookie: string
  readonly csrfToken: string
  readonly expiresAt: Date
}

/**
 * Starts a session with a new cookie, even if the request already had a cookie. An attacker who planted that
 * earlier cookie therefore gets no access to the new session. The session of the earlier cookie ends, even if
 * it belongs to another account: the browser forgets that cookie, so nobody could end the session later.
 * @param former the cookie that came with the request.
 * @throws Problem as `proveLogin` does.
 */
export function openDashboardSession(
  parts: DashboardSessionParts,
  typed: LoginTyped,
  { address, userAgent, former }: Browser & { readonly former: string | undefined },
): Promise<OpenedSession> {
  const sessionId = newId()
  const cookie = randomBytes(32).toString('base64url')
  const lifetimes = { lifetimeMs: parts.sessionLifetimeMs, idleMs: parts.sessionIdleMs }
  const browser = {
    cookieHash: hashOf(cookie),
    clientAddress: address,
    userAgent: userAgent?.slice(0, limits.userAgentChars),
  }
  return proveLogin(parts, typed, address, async (tx, { account, passwordHash }) => {
    const login = { sessionId, accountId: account.id, passwordHash, ...lifetimes, ...browser }
    const session = await insertLogin(tx, login)
    if (session === undefined) return undefined
    if (former !== undefined) await endFormer(tx, former)
    await noteStart(tx, session)
    const csrfToken = parts.tokens.csrfTokenOf(sessionId)
    const hasSecondFactor = await hasConfirmedFactor(tx, account.id)
    return { account, hasSecondFactor, cookie, csrfToken, expiresAt: session.expiresAt }
  })
}

async function endFormer(tx: Tx, cookie: string): Promise<void> {
  const ended = await revokeCookieSession(tx, hashOf(cookie))
  if (ended === undefined) return
  const { accountId, sessionId } = ended
  await recordAudit(tx, { accountId, action: 'session.ended', subject: sessionId })
}

/**
 * Returns the caller whom a cookie identifies, and the caller's access to `merchantId`. Returns undefined if
 * the cookie is invalid or its session has ended.
 */
export async function authenticateCookie(
  {
    db,
    tokens,
    sessionIdleMs,
  }: Pick<DashboardSessionParts, 'tokens' | 'sessionIdleMs'> & {
    readonly db: Queryable
  },
  { cookie, isUnattended }: { readonly cookie: string; readonly isUnattended: boolean },
  merchantId: string | undefined,
): Promise<Authentication | undefined> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(cookie)) return undefined
  const seenEveryMs = Math.min(limits.sessionSeenMs, sessionIdleMs / 10)
  const idle = { idleMs: sessionIdleMs, seenEveryMs }
  const found = await findCookieAccess(db, { cookieHash: hashOf(cookie), merchantId, ...idle })
  if (found === undefined) return undefined
  const { sessionId, accountId, isOperator, access, role, isSeenDue } = found
  if (isSeenDue && !isUnattended) await noteSessionSeen(db, { sessionId, ...idle })
  return {
    caller: { type: 'account', sessionId, accountId, isOperator },
    access,
    csrfToken: tokens.csrfTokenOf(sessionId),
    isProof: (text) => tokens.isProof(text, sessionId),
    ...(role === undefined ? {} : { role }),
  }
}

function hashOf(cookie: string): Buffer {
  return createHash('sha256').update(cookie).digest()
}
