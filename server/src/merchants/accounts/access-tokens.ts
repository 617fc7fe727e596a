/** API access tokens: long-lived Bearer tokens with a name, made and ended by a login. */

import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { AccountCaller } from '../../platform/http/auth.ts'
import type { AccessToken } from './account.ts'
import { needLogin } from './end-logins.ts'
import { insertAccessToken, listAccessTokens, revokeOwnSession } from './session-store.ts'
import type { Tokens } from './tokens.ts'

export interface AccessTokenParts {
  readonly db: Db
  readonly tokens: Tokens
}

/**
 * A token cannot make further ones, so that a stolen one ends with its own days.
 * @throws Problem forbidden, too-many-tokens
 */
export async function createAccessToken(
  { db, tokens }: AccessTokenParts,
  { accountId, sessionId }: AccountCaller,
  { name, days }: { readonly name: string; readonly days: number },
): Promise<{ readonly id: string; readonly token: string; readonly expiresAt: Date }> {
  const session = await inTransaction(db, async (tx) => {
    const countMax = limits.accessTokensPerAccount
    const inserted = await insertAccessToken(tx, { accountId, bySessionId: sessionId, name, days, countMax })
    if (inserted === 'not-a-login')
      throw fail('forbidden', 'Log in to make a token; a token makes no further ones.')
    if (inserted === 'too-many') throw fail('too-many-tokens', `Revoke one of your ${countMax} tokens first.`)
    const entry = { accountId, subject: inserted.id, details: { name, days } }
    await recordAudit(tx, { ...entry, action: 'access_token.created' })
    return inserted
  })
  const token = await tokens.issue(session, session.expiresAt)
  return { id: session.id, token, expiresAt: session.expiresAt }
}

/** @throws Problem forbidden */
export async function showAccessTokens(db: Db, caller: AccountCaller): Promise<readonly AccessToken[]> {
  await needLogin(db, caller)
  return listAccessTokens(db, caller.accountId)
}

/**
 * Ends a token at once, on every process; a token may end itself.
 * @throws Problem forbidden; not-found when the account has no such token
 */
export async function endAccessToken(db: Db, caller: AccountCaller, tokenId: string): Promise<void> {
  if (tokenId !== caller.sessionId) await needLogin(db, caller)
  const { accountId } = caller
  await inTransaction(db, async (tx) => {
    const outcome = await revokeOwnSession(tx, { type: 'access_token', id: tokenId, accountId })
    if (outcome === 'missing') throw fail('not-found', 'No such token.')
    if (outcome === 'revoked')
      await recordAudit(tx, { accountId, action: 'access_token.revoked', subject: tokenId })
  })
}
