import type { Clock } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { type Browser, normalizeEmail, type Session } from './account.ts'
import { type LoginTyped, noteStart, type ProofParts, proveLogin } from './prove-login.ts'
import { insertLogin, revokeSession, rotateRefresh } from './session-store.ts'
import { findAccount } from './store.ts'
import { refreshHash, type Tokens } from './tokens.ts'

export interface LogInParts extends ProofParts {
  readonly clock: Clock
  readonly tokens: Tokens
  /** Lifetime of a token. */
  readonly tokenLifetimeMs: number
  /** Time for which a login can be refreshed. Afterwards the password is required again. */
  readonly sessionLifetimeMs: number
  /** Lifetime of a login that is not refreshed; at least the lifetime of a token. */
  readonly sessionIdleMs: number
}

export interface LoggedIn {
  readonly token: string
  readonly expiresAt: Date
  readonly refreshToken: string
}

/**
 * Starts a login and returns its token and refresh token.
 * @throws Problem as `proveLogin` does.
 */
export async function logIn(
  parts: LogInParts,
  typed: LoginTyped,
  { address, userAgent }: Browser,
): Promise<LoggedIn> {
  const sessionId = newId()
  const refreshToken = parts.tokens.issueRefresh(sessionId)
  const lifetimes = { lifetimeMs: parts.sessionLifetimeMs, idleMs: parts.sessionIdleMs }
  const session = await proveLogin(parts, typed, address, async (tx, { account, passwordHash }) => {
    const browser = { clientAddress: address, userAgent: userAgent?.slice(0, limits.userAgentChars) }
    const login = { sessionId, accountId: account.id, passwordHash, ...lifetimes, ...browser }
    const inserted = await insertLogin(tx, { ...login, refreshHash: refreshHash(refreshToken) })
    if (inserted === undefined) return undefined
    await noteStart(tx, inserted)
    return inserted
  })
  return { ...(await issue(parts, session)), refreshToken }
}

/** Ends a login or an API access token at once, in every process. */
export async function logOut(db: Db, sessionId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const accountId = await revokeSession(tx, sessionId)
    if (accountId === undefined) return
    await recordAudit(tx, { accountId, action: 'session.ended', subject: sessionId })
  })
}

/**
 * Exchanges a refresh token for a new token and a new refresh token. A refresh token can be used once. A
 * second use means that two parties have the refresh token, so the login ends (RFC 9700, section 4.14.2).
 * @throws Problem `unauthenticated` if the refresh token is not valid.
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

/**
 * Starts a login without password or refresh token, for an operator with shell access to the server. Returns
 * undefined if the account does not exist.
 */
export async function logInFromShell(
  parts: Omit<LogInParts, 'passwords' | 'sealer' | 'sessionIdleMs'>,
  { email }: { readonly email?: string } = {},
): Promise<{ readonly token: string; readonly expiresAt: Date; readonly email: string } | undefined> {
  const account = await findAccount(parts.db, email === undefined ? undefined : normalizeEmail(email))
  if (account === undefined) return undefined
  const login = { sessionId: newId(), accountId: account.id, lifetimeMs: parts.tokenLifetimeMs }
  const session = await insertLogin(parts.db, login)
  if (session === undefined) return undefined
  return { ...(await issue(parts, session)), email: account.email }
}

function spent() {
  return fail('unauthenticated', 'The refresh token is no longer valid. Log in again.')
}

async function endReusedSession(db: Db, sessionId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const accountId = await revokeSession(tx, sessionId)
    if (accountId === undefined) return
    await recordAudit(tx, { accountId, action: 'session.refresh_reused', subject: sessionId })
  })
}

async function issue(parts: Pick<LogInParts, 'clock' | 'tokens' | 'tokenLifetimeMs'>, session: Session) {
  const byLifetime = new Date(parts.clock.now().getTime() + parts.tokenLifetimeMs)
  const expiresAt = byLifetime < session.expiresAt ? byLifetime : session.expiresAt
  return { token: await parts.tokens.issue(session, expiresAt), expiresAt }
}
