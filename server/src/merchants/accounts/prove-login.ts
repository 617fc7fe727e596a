import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { type Account, foldEmail } from './account.ts'
import { guesserAt, limitGuesses } from './guesses/limit-guesses.ts'
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
  /** Of the account's second factor, where it has one. */
  readonly code?: string | undefined
}

/** Who proved to be the account's owner, by this password. */
export interface Proven {
  readonly account: Account
  readonly passwordHash: string
}

/**
 * What `begin` makes in the transaction in which a login begins. An unknown email and a wrong password cost the same
 * time, count alike and get the same answer; that a second factor is asked for only the right password tells.
 * @param address where the request comes from
 * @param begin returns undefined when the password was changed while it was compared
 * @throws Problem invalid-login, two-factor-required, invalid-code, too-many-requests
 */
export function proveLogin<T>(
  parts: ProofParts,
  typed: LoginTyped,
  address: string,
  begin: (tx: Tx, proven: Proven) => Promise<T | undefined>,
): Promise<T> {
  const source = guesserAt(address)
  return parts.passwords.inShare(source, () => proveInShare(parts, typed, { address, source }, begin))
}

async function proveInShare<T>(
  parts: ProofParts,
  { email: typed, password, code }: LoginTyped,
  { address, source }: { readonly address: string; readonly source: string },
  begin: (tx: Tx, proven: Proven) => Promise<T | undefined>,
): Promise<T> {
  const { db, passwords } = parts
  const email = foldEmail(typed)
  const found = await findLogin(db, email)
  const accountId = found?.account.id
  let isPasswordRight = false
  const begun = await limitGuesses(
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
    (failures) => noteRefusal(db, { accountId, source, failures }),
  )
  if (begun !== undefined) return begun
  throw isPasswordRight ? codeRefused() : fail('invalid-login', 'The email or the password is wrong.')
}

/** Entries are for ever, so that a flood of passwords, wrong or right, must not become a flood of entries. */
const refusalsNotedPerHour = 20
const startsNotedPerHour = 100

/** The last that is noted says so. */
export async function noteStart(tx: Tx, { id, accountId, startedLately }: StartedLogin): Promise<void> {
  const left = startsNotedPerHour - startedLately
  if (left <= 0) return
  const details = left === 1 ? { furtherInThisHour: 'not noted' } : {}
  await recordAudit(tx, { accountId, action: 'session.started', subject: id, details })
}

async function noteRefusal(
  db: Db,
  refusal: { accountId: string | undefined; source: string; failures: number },
): Promise<void> {
  const { accountId, source, failures } = refusal
  if (accountId === undefined || failures > refusalsNotedPerHour) return
  await inTransaction(db, (tx) =>
    recordAudit(tx, { action: 'session.refused', subject: accountId, details: { network: source } }),
  )
}
