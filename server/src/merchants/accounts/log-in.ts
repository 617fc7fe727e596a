import type { Clock } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { type Browser, foldEmail, type Session } from './account.ts'
import { type LoginTyped, noteStart, type ProofParts, proveLogin } from './prove-login.ts'
import { insertLogin, revokeSession, rotateRefresh } from './session-store.ts'
import { findAccount } from './store.ts'
import { refreshHash, type Tokens } from './tokens.ts'

export interface LogInParts extends ProofParts {
  readonly clock: Clock
  readonly tokens: Tokens
  /** How long a token lives. */
  readonly tokenLifeMs: number
  /** How long a login can be refreshed before the password is asked for again. */
  readonly sessionLifeMs: number
  /** How long a login lives that is not refreshed; not shorter than a token. */
  readonly sessionIdleMs: number
}

export interface LoggedIn {
  readonly token: string
  readonly expiresAt: Date
  readonly refreshToken: string
}

/**
 * @throws as `proveLogin`
 */
export async function logIn(
  parts: LogInParts,
  typed: LoginTyped,
  { address, userAgent }: Browser,
): Promise<LoggedIn> {
  const sessionId = newId()
  const refreshToken = parts.tokens.issueRefresh(sessionId)
  const lives = { lifeMs: parts.sessionLifeMs, idleMs: parts.sessionIdleMs }
  const session = await proveLogin(parts, typed, address, async (tx, { account, passwordHash }) => {
    const browser = { clientAddress: address, userAgent: userAgent?.slice(0, limits.userAgentChars) }
    const login = { sessionId, accountId: account.id, passwordHash, ...lives, ...browser }
    const inserted = await insertLogin(tx, { ...login, refreshHash: refreshHash(refreshToken) })
    if (inserted === undefined) return undefined
    await noteStart(tx, inserted)
    return inserted
  })
  return { ...(await issue(parts, session)), refreshToken }
}

/** Ends a login, or an API access token, at once and on every process. */
export async function logOut(db: Db, sessionId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const accountId = await revokeSession(tx, sessionId)
    if (accountId === undefined) return
    await recordAudit(tx, { accountId, action: 'session.ended', subject: sessionId })
  })
}

/**
 * A new token and a new refresh token for a refresh token, which is used up by it. One that was used before means
 * that two parties hold it, so its session ends (RFC 9700, section 4.14.2).
 * @throws Problem unauthenticated
 */
export async function refreshLogin(parts: LogInParts, used: string): Promise<LoggedIn> {
  const sessionId = parts.tokens.readRefresh(used)
  if (sessionId === undefined) throw spent()
  const refreshToken = parts.tokens.issueRefresh(sessionId)
  const hashes = { oldHash: refreshHash(used), newHash: refreshHash(refreshToken) }
  const session = await rotateRefresh(parts.db, { sessionId, ...hashes, idleMs: parts.sessionIdleMs })
  if (session === undefined) {
    await endReusedSession(parts.db, sessionId)
    throw spent()
  }
  return { ...(await issue(parts, session)), refreshToken }
}

/** A login for whoever holds the server's shell, without password or refresh token. */
export async function logInFromShell(
  parts: Omit<LogInParts, 'passwords' | 'sealer' | 'sessionIdleMs'>,
  { email }: { readonly email?: string } = {},
): Promise<{ readonly token: string; readonly expiresAt: Date; readonly email: string } | undefined> {
  const account = await findAccount(parts.db, email === undefined ? undefined : foldEmail(email))
  if (account === undefined) return undefined
  const login = { sessionId: newId(), accountId: account.id, lifeMs: parts.tokenLifeMs }
  const session = await insertLogin(parts.db, login)
  if (session === undefined) return undefined
  return { ...(await issue(parts, session)), email: account.email }
}

function spent() {
  return fail('unauthenticated', 'This refresh token is not valid any more. Log in again.')
}

async function endReusedSession(db: Db, sessionId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const accountId = await revokeSession(tx, sessionId)
    if (accountId === undefined) return
    await recordAudit(tx, { accountId, action: 'session.refresh_reused', subject: sessionId })
  })
}

async function issue(parts: Pick<LogInParts, 'clock' | 'tokens' | 'tokenLifeMs'>, session: Session) {
  const byLife = new Date(parts.clock.now().getTime() + parts.tokenLifeMs)
  const expiresAt = byLife < session.expiresAt ? byLife : session.expiresAt
  return { token: await parts.tokens.issue(session, expiresAt), expiresAt }
}
