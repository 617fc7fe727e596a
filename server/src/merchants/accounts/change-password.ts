import { fail, failField } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { AccountCaller } from '../../platform/http/auth.ts'
import { attemptSource, limitLoginAttempts } from './login-attempts/limit-login-attempts.ts'
import { newPasswordError } from './new-password.ts'
import type { Passwords } from './passwords.ts'
import { type CodeParts, codeRefused, proveFactor } from './second-factor/prove-code.ts'
import { revokeSessions } from './session-store.ts'
import { findOwnLogin, replacePassword } from './store.ts'

export interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
  /** Code of the second factor; required if the account has a second factor. */
  readonly code?: string | undefined
}

export interface PasswordParts extends CodeParts {
  readonly passwords: Passwords
}

/**
 * Sets a new password. Ends every other login and every API access token of the account, in every process,
 * because somebody who knew the old password may have created them.
 * @throws Problem `invalid-request`, `forbidden` (with an API access token), `two-factor-required`,
 *   `invalid-code` or `too-many-requests`.
 */
export async function changePassword(
  parts: PasswordParts,
  { accountId, sessionId }: AccountCaller,
  { currentPassword, newPassword, code }: PasswordChange,
  address: string,
): Promise<void> {
  const { db, passwords } = parts
  const login = await findOwnLogin(db, { accountId, sessionId })
  if (login === undefined) throw fail('forbidden', 'Log in to change the password; a token cannot.')
  const { email, passwordHash } = login
  const error = newPasswordError(newPassword, email)
  if (error !== undefined) throw failField('/newPassword', error)
  if (newPassword === currentPassword)
    throw failField('/newPassword', 'must differ from the current password')
  const source = attemptSource(address)
  const isRight = await passwords.inShare(source, () =>
    limitLoginAttempts(db, { source, subject: email, accountId }, async () =>
      (await passwords.matches(currentPassword, passwordHash)) ? true : undefined,
    ),
  )
  if (isRight === undefined) throw failField('/currentPassword', 'is not the current password')
  const newHash = await passwords.hash(newPassword)
  const changed = await proveFactor(parts, { accountId, code, address }, async (tx) => {
    if (!(await replacePassword(tx, { accountId, oldHash: passwordHash, newHash })))
      throw failField('/currentPassword', 'is not the current password')
    const sessionsEnded = await revokeSessions(tx, { accountId, besides: sessionId })
    const entry = { accountId, subject: accountId, details: { sessionsEnded } }
    await recordAudit(tx, { ...entry, action: 'account.password_changed' })
    return true
  })
  if (changed === undefined) throw codeRefused()
}
