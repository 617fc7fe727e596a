import { fail, type Problem } from '../../../core/errors.ts'
import type { Sealer } from '../../../core/seal.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { type GuessAt, guesserAt, limitGuesses } from '../guesses/limit-guesses.ts'
import { pauseBetween } from './code-pause.ts'
import { recoveryCodeHash } from './recovery-code.ts'
import { findFactor, hasConfirmedFactor, takeStep, useRecoveryCode } from './store.ts'
import { stepOf } from './totp.ts'

export interface CodeParts {
  readonly db: Db
  readonly sealer: Sealer
}

export interface CodeTyped {
  readonly accountId: string
  readonly code: string
  /** Where it comes from. */
  readonly address: string
}

/** What the secret of an account's second factor is sealed for. */
export function factorContext(accountId: string): string {
  return `second-factor:${accountId}`
}

/**
 * How a code counts as a guess. Six digits are few, so that wrong ones count by account, whatever network they come
 * from: whoever gets here knows the password or has a session. A recovery code cannot be guessed and is not counted by
 * account, so that nobody is kept out who has one.
 */
export function codeGuess({ accountId, code, address }: CodeTyped): GuessAt {
  return recoveryCodeHash(code) === undefined
    ? { source: `codes of ${accountId}`, subject: guesserAt(address), accountId }
    : { source: guesserAt(address), subject: `recovery codes of ${accountId}`, accountId }
}

/**
 * What `then` makes in the transaction that uses up a code of the account's second factor; undefined when the code is
 * wrong, was used before, or `then` gives nothing.
 * @throws Problem too-many-requests
 */
export function proveCode<T>(
  { db, sealer }: CodeParts,
  typed: CodeTyped,
  then: (tx: Tx) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { accountId, code } = typed
  const attempt = () =>
    inTransaction(db, async (tx) => ((await useCode(tx, sealer, accountId, code)) ? then(tx) : undefined))
  const isRecoveryCode = recoveryCodeHash(code) !== undefined
  return limitGuesses(db, codeGuess(typed), () =>
    isRecoveryCode ? attempt() : pauseBetween(db, accountId, attempt),
  )
}

/**
 * What `then` makes in a transaction, which uses up a code where the account has a second factor; undefined when the
 * code is wrong or `then` gives nothing. `then` locks the account's row, so that a factor is confirmed before or after.
 * @throws Problem two-factor-required, too-many-requests
 */
export async function proveFactor<T>(
  parts: CodeParts,
  { code, ...typed }: Omit<CodeTyped, 'code'> & { readonly code: string | undefined },
  then: (tx: Tx) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (await hasConfirmedFactor(parts.db, typed.accountId)) {
    if (code === undefined) throw codeNeeded()
    return proveCode(parts, { ...typed, code }, then)
  }
  return inTransaction(parts.db, async (tx) => {
    const made = await then(tx)
    if (await hasConfirmedFactor(tx, typed.accountId)) throw codeNeeded()
    return made
  })
}

function codeNeeded(): Problem {
  return fail('two-factor-required', 'Send the code that the app shows as "code".')
}

export function codeRefused(): Problem {
  return fail('invalid-code', 'The code is wrong, or was used before. Wait for the next one.')
}

async function useCode(tx: Tx, sealer: Sealer, accountId: string, code: string): Promise<boolean> {
  const factor = await findFactor(tx, accountId)
  if (factor === undefined || factor.confirmedAt === null) return false
  const hash = recoveryCodeHash(code)
  if (hash !== undefined) {
    if (!(await useRecoveryCode(tx, accountId, hash))) return false
    await recordAudit(tx, { accountId, action: 'second_factor.recovery_code_used', subject: accountId })
    return true
  }
  const step = stepOf(secretOf(sealer, accountId, factor.sealedSecret), code.replaceAll(/\s/g, ''), factor)
  return step !== undefined && takeStep(tx, accountId, step)
}

/** @throws UnsealError */
export function secretOf(sealer: Sealer, accountId: string, sealed: Buffer): Buffer {
  return Buffer.from(sealer.open(sealed, factorContext(accountId)).reveal(), 'hex')
}
