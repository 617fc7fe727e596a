/** A second factor is shown, confirmed by a code, and taken away again. */
import { randomBytes } from 'node:crypto'
import { fail, failField, type Problem } from '../../../core/errors.ts'
import type { AuditAction } from '../../../platform/audit/audit-entry.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { AccountCaller } from '../../../platform/http/auth.ts'
import { guesserAt, limitGuesses } from '../guesses/limit-guesses.ts'
import type { Passwords } from '../passwords.ts'
import { revokeSessions } from '../session-store.ts'
import { findOwnLogin, lockAccount } from '../store.ts'
import { type CodeParts, codeGuess, factorContext, proveCode, secretOf } from './prove-code.ts'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts'
import {
  confirmFactor,
  deleteFactor,
  findFactor,
  hasConfirmedFactor,
  insertShownFactor,
  replaceRecoveryCodes,
} from './store.ts'
import { base32, otpauthUri, stepOf } from './totp.ts'

export interface FactorParts extends CodeParts {
  readonly passwords: Passwords
  /** Whom an app names beside the codes. */
  readonly issuer: string
}

/** As long as the hash that codes are made with (RFC 4226, section 4, R6). */
const secretBytes = 20

export interface ShownFactor {
  /** For who cannot read the QR code. */
  readonly secret: string
  readonly uri: string
}

/**
 * A new secret, to be confirmed by a code of it; nothing is asked for at logins before that.
 * @throws Problem invalid-request, forbidden (with an API access token), second-factor-on, too-many-requests
 */
export async function showFactor(
  { db, passwords, sealer, issuer }: FactorParts,
  { accountId, sessionId }: AccountCaller,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<ShownFactor> {
  const login = await findOwnLogin(db, { accountId, sessionId })
  if (login === undefined) throw needsLogin()
  const { email, passwordHash } = login
  const source = guesserAt(address)
  const isRight = await passwords.inShare(source, () =>
    limitGuesses(db, { source, subject: email, accountId }, async () =>
      (await passwords.matches(password, passwordHash)) ? true : undefined,
    ),
  )
  if (isRight === undefined) throw failField('/password', 'is not the present password')
  const secret = randomBytes(secretBytes)
  const sealed = sealer.seal(secret.toString('hex'), factorContext(accountId))
  if (!(await inTransaction(db, (tx) => insertShownFactor(tx, accountId, sealed)))) throw isOn()
  return { secret: base32(secret), uri: otpauthUri(secret, { issuer, email }) }
}

/**
 * Has codes asked for from now on; ten recovery codes, which nobody can show again. Every other login and API access
 * token of the account ends: whoever made them may have had the password alone.
 * @throws Problem invalid-request, forbidden (with an API access token), second-factor-on, second-factor-off,
 * too-many-requests
 */
export async function confirmShownFactor(
  { db, sealer }: FactorParts,
  { accountId, sessionId }: AccountCaller,
  typed: CodeAt,
): Promise<readonly string[]> {
  if ((await findOwnLogin(db, { accountId, sessionId })) === undefined) throw needsLogin()
  const codes = await limitGuesses(db, codeGuess({ accountId, ...typed }), () =>
    inTransaction(db, async (tx) => {
      const factor = await findFactor(tx, accountId)
      if (factor === undefined) throw isOff()
      if (factor.confirmedAt !== null) throw isOn()
      const { sealedSecret } = factor
      const step = stepOf(secretOf(sealer, accountId, sealedSecret), typed.code.replaceAll(/\s/g, ''), factor)
      if (step === undefined || !(await confirmFactor(tx, { accountId, sealedSecret, step })))
        return undefined
      await lockAccount(tx, accountId)
      const sessionsEnded = await revokeSessions(tx, { accountId, besides: sessionId })
      return makeCodes(tx, accountId, 'second_factor.enabled', { sessionsEnded })
    }),
  )
  if (codes === undefined) throw wrongCode()
  return codes
}

/** Ten new recovery codes in place of all there were. @throws as `removeFactor` */
export function renewRecoveryCodes(parts: FactorParts, caller: AccountCaller, typed: CodeAt) {
  return withCode(parts, caller, typed, (tx) =>
    makeCodes(tx, caller.accountId, 'second_factor.recovery_codes_renewed'),
  )
}

/**
 * No code is asked for any more.
 * @throws Problem invalid-request, forbidden (with an API access token), second-factor-off, too-many-requests
 */
export async function removeFactor(parts: FactorParts, caller: AccountCaller, typed: CodeAt): Promise<void> {
  await withCode(parts, caller, typed, async (tx) => {
    const { accountId } = caller
    await deleteFactor(tx, accountId)
    await recordAudit(tx, { accountId, action: 'second_factor.disabled', subject: accountId })
    return true
  })
}

interface CodeAt {
  readonly code: string
  readonly address: string
}

async function withCode<T>(
  parts: FactorParts,
  { accountId, sessionId }: AccountCaller,
  typed: CodeAt,
  then: (tx: Tx) => Promise<T>,
): Promise<T> {
  if ((await findOwnLogin(parts.db, { accountId, sessionId })) === undefined) throw needsLogin()
  if (!(await hasConfirmedFactor(parts.db, accountId))) throw isOff()
  const done = await proveCode(parts, { accountId, ...typed }, then)
  if (done === undefined) throw wrongCode()
  return done
}

async function makeCodes(
  tx: Tx,
  accountId: string,
  action: AuditAction,
  details: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(
    tx,
    accountId,
    codes.flatMap((code) => recoveryCodeHash(code) ?? []),
  )
  await recordAudit(tx, { accountId, action, subject: accountId, details })
  return codes
}

function needsLogin(): Problem {
  return fail('forbidden', 'Log in to change the second factor; a token cannot.')
}

function isOn(): Problem {
  return fail('second-factor-on', 'The account has a second factor. Take it away first, by one of its codes.')
}

function isOff(): Problem {
  return fail('second-factor-off', 'The account has no second factor: begin with its password.')
}

function wrongCode(): Problem {
  return failField('/code', 'is no code that is good now: type the one the app shows, or wait for its next')
}
