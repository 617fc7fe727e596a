/** Checks codes of second factors and marks them as used. Wrong codes count as login attempts. */
import { fail, type Problem } from '../../../core/errors.ts'
import type { Sealer } from '../../../core/seal.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import {
  type AttemptSubject,
  attemptSource,
  limitLoginAttempts,
} from '../login-attempts/limit-login-attempts.ts'
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
  /** Network address of the client. */
  readonly address: string
}

/** Returns the context of a second factor's secret. A secret can be decrypted only with its context. */
export function factorContext(accountId: string): string {
  return `second-factor:${accountId}`
}

/**
 * Returns the source and subject with which a code counts as a login attempt. Six-digit codes are easy to
 * guess, so wrong codes from all networks count together for the account. Whoever sends a code already knows
 * the password or has a session. Recovery codes cannot be guessed, so wrong recovery codes count for the
 * network that sent them. The owner can therefore always use a recovery code.
 */
export function codeAttempt({ accountId, code, address }: CodeTyped): AttemptSubject {
  return recoveryCodeHash(code) === undefined
    ? { source: `codes of ${accountId}`, subject: attemptSource(address), accountId }
    : { source: attemptSource(address), subject: `recovery codes of ${accountId}`, accountId }
}

/**
 * Marks a code of the account's second factor as used and returns the result of `then`, in one transaction.
 * Returns undefined if the code is wrong or was used before, or if `then` returns undefined.
 * @throws Problem `too-many-requests` after too many wrong codes, or during the pause after a wrong code.
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
  return limitLoginAttempts(db, codeAttempt(typed), () =>
    isRecoveryCode ? attempt() : pauseBetween(db, accountId, attempt),
  )
}

/**
 * Returns the result of `then`, which runs in a transaction. If the account has a second factor, the same
 * transaction marks a code as used. Returns undefined if the code is wrong or `then` returns undefined.
 * `then` must lock the account's row, so that a second factor is enabled either before or after `then`.
 * @throws Problem `two-factor-required` or `too-many-requests`.
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
  return fail('two-factor-required', 'Send the code that the authenticator app shows as "code".')
}

export function codeRefused(): Problem {
  return fail('invalid-code', 'The code is wrong or was used before. Wait for the next one.')
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

/**
 * Decrypts the secret of a second factor.
 * @throws UnsealError if the secret was encrypted for another account or under another key.
 */
export function secretOf(sealer: Sealer, accountId: string, sealed: Buffer): Buffer {
  return Buffer.from(sealer.open(sealed, factorContext(accountId)).reveal(), 'hex')
}
