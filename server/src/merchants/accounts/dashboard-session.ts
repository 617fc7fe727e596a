/** Logins of browsers: the same sessions as those of tokens, known by a cookie. */
import { createHash, randomBytes } from 'node:crypto'
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
  /** How long a login lasts, however it is used. */
  readonly sessionLifeMs: number
  /** How long one lasts that is not used. */
  readonly sessionIdleMs: number
}

export interface OpenedSession {
  readonly account: Account
  readonly hasSecondFactor: boolean
  /** Known to the browser alone; its hash is stored. */
  readonly cookie: string
  readonly csrfToken: string
  readonly expiresAt: Date
}

/**
 * Begins a session under a new cookie, whatever cookie the browser had: one that somebody planted there opens nothing.
 * The session of that cookie, whoever's it is, ends: the browser forgets it, so that nobody could end it there.
 * @param former the cookie that came with the request
 * @throws as `proveLogin`
 */
export function openDashboardSession(
  parts: DashboardSessionParts,
  typed: LoginTyped,
  { address, userAgent, former }: Browser & { readonly former: string | undefined },
): Promise<OpenedSession> {
  const sessionId = newId()
  const cookie = randomBytes(32).toString('base64url')
  const lives = { lifeMs: parts.sessionLifeMs, idleMs: parts.sessionIdleMs }
  const browser = {
    cookieHash: hashOf(cookie),
    clientAddress: address,
    userAgent: userAgent?.slice(0, limits.userAgentChars),
  }
  return proveLogin(parts, typed, address, async (tx, { account, passwordHash }) => {
    const login = { sessionId, accountId: account.id, passwordHash, ...lives, ...browser }
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

/** Who a cookie is and what it may do with `merchantId`; undefined when it is no good or its session ended. */
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
