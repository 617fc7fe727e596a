import { fail, failField } from '../../core/errors.ts'
import type { Secret } from '../../core/settings.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, violatedConstraint } from '../../platform/db/transaction.ts'
import { emailError, normalizeEmail } from './account.ts'
import { attemptSource, limitLoginAttempts } from './login-attempts/limit-login-attempts.ts'
import { newPasswordError } from './new-password.ts'
import type { Passwords } from './passwords.ts'
import { insertAccount, lockForFirstAccount } from './store.ts'

export interface RegisterParts {
  readonly db: Db
  readonly passwords: Passwords
}

/**
 * Creates an account and returns its id.
 * @throws Problem `invalid-request`, `email-taken` or `too-many-requests`.
 */
export async function registerAccount(
  { db, passwords }: RegisterParts,
  { email: typed, password }: { readonly email: string; readonly password: string },
  address: string,
): Promise<string> {
  const email = normalizeEmail(typed)
  const errorOfEmail = emailError(email)
  if (errorOfEmail !== undefined) throw failField('/email', errorOfEmail)
  const errorOfPassword = newPasswordError(password, email)
  if (errorOfPassword !== undefined) throw failField('/password', errorOfPassword)
  // The answer reveals whether the email has an account, so each registration counts as a login attempt.
  const source = attemptSource(address)
  const id = await passwords.inShare(source, () =>
    limitLoginAttempts(db, { source, subject: email }, async () => {
      const passwordHash = await passwords.hash(password)
      return addAccount(db, { email, passwordHash, isOperator: false })
    }),
  )
  if (id === undefined)
    throw fail('email-taken', 'An account with this email already exists. Log in instead.')
  return id
}

/** Stores an account and returns its id, or undefined if the email already has an account. */
async function addAccount(
  db: Db,
  account: { email: string; passwordHash: string; isOperator: boolean },
): Promise<string | undefined> {
  try {
    return await inTransaction(db, async (tx) => {
      const id = await insertAccount(tx, account)
      await recordAudit(tx, { accountId: id, action: 'account.created', subject: id })
      return id
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'account_email_unique') throw error
    return undefined
  }
}

/**
 * Creates the first account as an operator if no account exists. If two processes start at once, only one of
 * them creates the account. Returns whether this call created the account.
 */
export async function ensureFirstAccount(
  { db, passwords }: RegisterParts,
  { email, password }: { readonly email: string; readonly password: Secret },
): Promise<boolean> {
  const passwordHash = await passwords.hash(password.reveal())
  return inTransaction(db, async (tx) => {
    if (await lockForFirstAccount(tx)) return false
    const id = await insertAccount(tx, { email: normalizeEmail(email), passwordHash, isOperator: true })
    await recordAudit(tx, {
      accountId: id,
      action: 'account.created',
      subject: id,
      details: { isOperator: true },
    })
    return true
  })
}
