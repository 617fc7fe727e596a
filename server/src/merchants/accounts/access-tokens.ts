/** API access tokens: long-lived Bearer tokens with a name. Only a user who is logged in can create them. */

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
 * Creates an API access token. The caller must be logged in, so that nobody can use a stolen token to create
 * another token.
 * @throws Problem `forbidden` if the caller uses an API access token, or `too-many-tokens`.
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
      throw fail('forbidden', 'Log in to create a token; a token cannot create other tokens.')
    if (inserted === 'too-many') throw fail('too-many-tokens', `Revoke one of your ${countMax} tokens first.`)
    const entry = { accountId, subject: inserted.id, details: { name, days } }
    await recordAudit(tx, { ...entry, action: 'access_token.created' })
    return inserted
  })
  const token = await tokens.issue(session, session.expiresAt)
  return { id: session.id, token, expiresAt: session.expiresAt }
}

/**
 * Returns the account's valid API access tokens.
 * @throws Problem `forbidden` if the caller uses an API access token.
 */
export async function showAccessTokens(db: Db, caller: AccountCaller): Promise<readonly AccessToken[]> {
  await needLogin(db, caller)
  return listAccessTokens(db, caller.accountId)
}

/**
 * Ends an API access token at once, in every process. A caller with an API access token can end only that
 * token.
 * @throws Problem `forbidden` if the caller uses another API access token, or `not-found` if the account has
 *   no such token.
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
