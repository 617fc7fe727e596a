/** Lists and ends the logins of an account, on request of the account's owner. */

import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { AccountCaller } from '../../platform/http/auth.ts'
import type { Login } from './account.ts'
import { listLogins, revokeOtherLogins } from './login-store.ts'
import { revokeOwnSession } from './session-store.ts'
import { findOwnLogin } from './store.ts'

/**
 * Ends a login at once, in every process.
 * @throws Problem `forbidden` if the caller uses an API access token, or `not-found`.
 */
export async function endLogin(db: Db, caller: AccountCaller, sessionId: string): Promise<void> {
  await needLogin(db, caller)
  const { accountId } = caller
  await inTransaction(db, async (tx) => {
    const outcome = await revokeOwnSession(tx, { type: 'login', id: sessionId, accountId })
    if (outcome === 'missing') throw fail('not-found', 'No such login.')
    if (outcome === 'revoked')
      await recordAudit(tx, { accountId, action: 'session.revoked', subject: sessionId })
  })
}

/**
 * Ends all logins except the caller's and returns the number of ended logins. API access tokens stay valid.
 * @throws Problem `forbidden` if the caller uses an API access token.
 */
export async function endOtherLogins(db: Db, caller: AccountCaller): Promise<number> {
  await needLogin(db, caller)
  const { accountId, sessionId } = caller
  return inTransaction(db, async (tx) => {
    const ended = await revokeOtherLogins(tx, { accountId, besides: sessionId })
    const entry = { accountId, subject: accountId, details: { sessionsEnded: ended } }
    if (ended > 0) await recordAudit(tx, { ...entry, action: 'session.others_revoked' })
    return ended
  })
}

/**
 * Returns the account's valid logins.
 * @throws Problem `forbidden` if the caller uses an API access token.
 */
export async function showLogins(db: Db, caller: AccountCaller): Promise<readonly Login[]> {
  await needLogin(db, caller)
  return listLogins(db, caller.accountId)
}

/**
 * Rejects callers with an API access token, so that nobody can use a stolen token to see or end logins and
 * other tokens.
 * @throws Problem `forbidden` if the caller uses an API access token.
 */
export async function needLogin(db: Db, caller: AccountCaller): Promise<void> {
  if ((await findOwnLogin(db, caller)) === undefined)
    throw fail('forbidden', 'Log in to list and revoke logins and tokens; a token cannot.')
}
