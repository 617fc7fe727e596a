import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { type Account, normalizeEmail } from './account.ts'
import { attemptSource, limitLoginAttempts } from './login-attempts/limit-login-attempts.ts'
import type { Passwords } from './passwords.ts'
import { type CodeParts, codeRefused, proveFactor } from './second-factor/prove-code.ts'
import type { StartedLogin } from './session-store.ts'
import { findLogin } from './store.ts'

export interface ProofParts extends CodeParts {
  readonly passwords: Passwords
}

export interface LoginTyped {
  readonly email: string
  readonly password: string
  /** Code of the second factor; required if the account has a second factor. */
  readonly code?: string | undefined
}

/** An account whose owner entered the right password, with the hash that the password matched. */
export interface Proven {
  readonly account: Account
  readonly passwordHash: string
}

/**
 * Checks the credentials of a login and returns the result of `begin`, which runs in the transaction that
 * starts the login. An unknown email and a wrong password take the same time, are counted in the same way,
 * and get the same answer. Only a client that sends the right password learns that a second factor is
 * required.
 * @param address network address of the client.
 * @param begin returns undefined if the password was changed during the comparison.
 * @throws Problem `invalid-login`, `two-factor-required`, `invalid-code` or `too-many-requests`.
 */
export function proveLogin<T>(
  parts: ProofParts,
  typed: LoginTyped,
  address: string,
  begin: (tx: Tx, proven: Proven) => Promise<T | undefined>,
): Promise<T> {
  const source = attemptSource(address)
  return parts.passwords.inShare(source, () => proveInShare(parts, typed, { address, source }, begin))
}

async function proveInShare<T>(
  parts: ProofParts,
  { email: typed, password, code }: LoginTyped,
  { address, source }: { readonly address: string; readonly source: string },
  begin: (tx: Tx, proven: Proven) => Promise<T | undefined>,
): Promise<T> {
  const { db, passwords } = parts
  const email = normalizeEmail(typed)
  const found = await findLogin(db, email)
  const accountId = found?.account.id
  let isPasswordRight = false
  const begun = await limitLoginAttempts(
    db,
    { source, subject: email, accountId },
    async () => {
      if (!(await passwords.matches(password, found?.passwordHash)) || found === undefined) return undefined
      isPasswordRight = true
      return proveFactor(parts, { accountId: found.account.id, code, address }, async (tx) => {
        const session = await begin(tx, found)
        isPasswordRight = session !== undefined
        return session
      })
    },
    (failures) => noteRejection(db, { accountId, source, failures }),
  )
  if (begun !== undefined) return begun
  throw isPasswordRight ? codeRefused() : fail('invalid-login', 'The email or the password is wrong.')
}

/**
 * Limits of the audit entries in an hour for one account. Rejected logins and started logins have separate
 * limits. Audit entries are never deleted, so a flood of login attempts must not cause a flood of entries.
 */
const rejectionsNotedPerHour = 20
const startsNotedPerHour = 100

/**
 * Writes an audit entry for a started login, unless the account already has the maximum number of entries in
 * the last hour. The last of these entries says that further logins are not recorded.
 */
export async function noteStart(tx: Tx, { id, accountId, startedLately }: StartedLogin): Promise<void> {
  const left = startsNotedPerHour - startedLately
  if (left <= 0) return
  const details = left === 1 ? { furtherInThisHour: 'not noted' } : {}
  await recordAudit(tx, { accountId, action: 'session.started', subject: id, details })
}

async function noteRejection(
  db: Db,
  rejection: { accountId: string | undefined; source: string; failures: number },
): Promise<void> {
  const { accountId, source, failures } = rejection
  if (accountId === undefined || failures > rejectionsNotedPerHour) return
  await inTransaction(db, (tx) =>
    recordAudit(tx, { action: 'session.refused', subject: accountId, details: { network: source } }),
  )
}
