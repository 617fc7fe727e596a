import { recordAudit } from '../audit/store.ts'
import { fail } from '../core/errors.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { type Account, foldEmail } from './account.ts'
import { guesserAt, limitGuesses } from './limit-guesses.ts'
import type { Passwords } from './passwords.ts'
import { findLogin } from './store.ts'

export interface ProofParts {
  readonly db: Db
  readonly passwords: Passwords
}

export interface LoginTyped {
  readonly email: string
  readonly password: string
}

/** Who proved to be the account's owner, by this password. */
export interface Proven {
  readonly account: Account
  readonly passwordHash: string
}

/**
 * What `begin` makes in the transaction in which a login begins. An unknown email and a wrong password cost the same
 * time, count alike and get the same answer.
 * @param address where the request comes from
 * @param begin returns undefined when the password was changed while it was compared
 * @throws Problem invalid-login, too-many-requests
 */
export async function proveLogin<T>(
  { db, passwords }: ProofParts,
  { email: typed, password }: LoginTyped,
  address: string,
  begin: (tx: Tx, proven: Proven) => Promise<T | undefined>,
): Promise<T> {
  const email = foldEmail(typed)
  const found = await findLogin(db, email)
  const accountId = found?.account.id
  const source = guesserAt(address)
  const begun = await limitGuesses(
    db,
    { source, subject: email, accountId },
    async () => {
      const isRight = await passwords.matches(password, found?.passwordHash)
      return found !== undefined && isRight ? inTransaction(db, (tx) => begin(tx, found)) : undefined
    },
    (failures) => noteRefusal(db, { accountId, source, failures }),
  )
  if (begun === undefined) throw fail('invalid-login', 'The email or the password is wrong.')
  return begun
}

/** Entries are for ever, so that a flood of wrong passwords must not become a flood of entries. */
const refusalsNotedPerHour = 20

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
