import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { normalizeEmail } from '../account.ts'
import { revokeSessions } from '../session-store.ts'
import { findAccount } from '../store.ts'
import { deleteFactor } from './store.ts'

/**
 * Removes a second factor without a code and ends all logins and API access tokens of the account. Only
 * operators with shell access to the server can call it.
 */
export async function resetFactor(db: Db, email: string): Promise<'reset' | 'unknown' | 'none'> {
  const account = await findAccount(db, normalizeEmail(email))
  if (account === undefined) return 'unknown'
  return inTransaction(db, async (tx) => {
    if (!(await deleteFactor(tx, account.id))) return 'none'
    const ended = await revokeSessions(tx, { accountId: account.id })
    const details = { byShell: true, sessionsEnded: ended }
    await recordAudit(tx, { action: 'second_factor.disabled', subject: account.id, details })
    return 'reset'
  })
}
