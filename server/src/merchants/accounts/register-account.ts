import { fail, failField } from '../../core/errors.ts'
import type { Secret } from '../../core/settings.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, violatedConstraint } from '../../platform/db/transaction.ts'
import { emailFault, foldEmail } from './account.ts'
import { guesserAt, limitGuesses } from './guesses/limit-guesses.ts'
import { newPasswordFault } from './new-password.ts'
import type { Passwords } from './passwords.ts'
import { insertAccount, lockForFirstAccount } from './store.ts'

export interface RegisterParts {
  readonly db: Db
  readonly passwords: Passwords
}

/**
 * Makes an account and returns its id.
 * @throws Problem invalid-request, email-taken, too-many-requests
 */
export async function registerAccount(
  { db, passwords }: RegisterParts,
  { email: typed, password }: { readonly email: string; readonly password: string },
  address: string,
): Promise<string> {
  const email = foldEmail(typed)
  const faultOfEmail = emailFault(email)
  if (faultOfEmail !== undefined) throw failField('/email', faultOfEmail)
  const faultOfPassword = newPasswordFault(password, email)
  if (faultOfPassword !== undefined) throw failField('/password', faultOfPassword)
  // The answer tells whether the email has an account, which makes each try a guess.
  const source = guesserAt(address)
  const id = await passwords.inShare(source, () =>
    limitGuesses(db, { source, subject: email }, async () => {
      const passwordHash = await passwords.hash(password)
      return addAccount(db, { email, passwordHash, isOperator: false })
    }),
  )
  if (id === undefined) throw fail('email-taken', 'An account with this email exists. Log in instead.')
  return id
}

/** The id of the new account; undefined when the email has one. */
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
 * Makes the first account, an operator, if there is no account at all; two processes that start at once make one.
 * Returns whether this call made it.
 */
export async function ensureFirstAccount(
  { db, passwords }: RegisterParts,
  { email, password }: { readonly email: string; readonly password: Secret },
): Promise<boolean> {
  const passwordHash = await passwords.hash(password.reveal())
  return inTransaction(db, async (tx) => {
    if (await lockForFirstAccount(tx)) return false
    const id = await insertAccount(tx, { email: foldEmail(email), passwordHash, isOperator: true })
    await recordAudit(tx, {
      accountId: id,
      action: 'account.created',
      subject: id,
      details: { isOperator: true },
    })
    return true
  })
}
