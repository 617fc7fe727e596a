import { recordAudit } from '../audit/store.ts'
import { fail, failField } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { AccountCaller } from '../http/auth.ts'
import { guesserAt, limitGuesses } from './guesses/limit-guesses.ts'
import { newPasswordFault } from './new-password.ts'
import type { RegisterParts } from './register-account.ts'
import { revokeOtherSessions } from './session-store.ts'
import { findOwnLogin, replacePassword } from './store.ts'

export interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

/**
 * Sets a new password and ends every other login and API access token of the account, on every process: whoever knew
 * the old one may have made some.
 * @throws Problem invalid-request, forbidden (with an API access token), too-many-requests
 */
export async function changePassword(
  { db, passwords }: RegisterParts,
  { accountId, sessionId }: AccountCaller,
  { currentPassword, newPassword }: PasswordChange,
  address: string,
): Promise<void> {
  const login = await findOwnLogin(db, { accountId, sessionId })
  if (login === undefined) throw fail('forbidden', 'Log in to change the password; a token cannot.')
  const { email, passwordHash } = login
  const fault = newPasswordFault(newPassword, email)
  if (fault !== undefined) throw failField('/newPassword', fault)
  if (newPassword === currentPassword) throw failField('/newPassword', 'must differ from the present one')
  const guess = { source: guesserAt(address), subject: email, accountId }
  const isRight = await limitGuesses(db, guess, async () =>
    (await passwords.matches(currentPassword, passwordHash)) ? true : undefined,
  )
  if (isRight === undefined) throw failField('/currentPassword', 'is not the present password')
  const newHash = await passwords.hash(newPassword)
  await inTransaction(db, async (tx) => {
    if (!(await replacePassword(tx, { accountId, oldHash: passwordHash, newHash })))
      throw failField('/currentPassword', 'is not the present password')
    const ended = await revokeOtherSessions(tx, { accountId, sessionId })
    const entry = { accountId, subject: accountId, details: { sessionsEnded: ended } }
    await recordAudit(tx, { ...entry, action: 'account.password_changed' })
  })
}
