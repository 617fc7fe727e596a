/** Shows, confirms and removes second factors. */
import { randomBytes } from '../../../core/chance.ts'
import { fail, failField, type Problem } from '../../../core/errors.ts'
import type { AuditAction } from '../../../platform/audit/audit-entry.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { AccountCaller } from '../../../platform/http/auth.ts'
import { attemptSource, limitLoginAttempts } from '../login-attempts/limit-login-attempts.ts'
import type { Passwords } from '../passwords.ts'
import { revokeSessions } from '../session-store.ts'
import { findOwnLogin, lockAccount } from '../store.ts'
import { type CodeParts, codeAttempt, factorContext, proveCode, secretOf } from './prove-code.ts'
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
  /** Name of this service as authenticator apps show it. */
  readonly issuer: string
}

/**
 * Length of a secret. It equals the length of a SHA-1 hash, because codes are made with SHA-1 (RFC 4226,
 * section 4, R6).
 */
const secretBytes = 20

export interface ShownFactor {
  /** The secret in base32, for users who cannot scan the QR code. */
  readonly secret: string
  readonly uri: string
}

/**
 * Creates the secret of a second factor. Logins require a code only after the secret was confirmed with a
 * code.
 * @throws Problem `invalid-request`, `forbidden` (with an API access token), `second-factor-on` or
 *   `too-many-requests`.
 */
export async function showFactor(
  { db, passwords, sealer, issuer }: FactorParts,
  { accountId, sessionId }: AccountCaller,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<ShownFactor> {
  const login = await findOwnLogin(db, { accountId, sessionId })
  if (login === undefined) throw needsLogin()
  const { email, passwordHash } = login
  const source = attemptSource(address)
  const isRight = await passwords.inShare(source, () =>
    limitLoginAttempts(db, { source, subject: email, accountId }, async () =>
      (await passwords.matches(password, passwordHash)) ? true : undefined,
    ),
  )
  if (isRight === undefined) throw failField('/password', 'is not the current password')
  const secret = randomBytes(secretBytes)
  const sealed = sealer.seal(secret.toString('hex'), factorContext(accountId))
  if (!(await inTransaction(db, (tx) => insertShownFactor(tx, accountId, sealed)))) throw isOn()
  return { secret: base32(secret), uri: otpauthUri(secret, { issuer, email }) }
}

/**
 * Enables the second factor and returns ten recovery codes, which cannot be shown again. It ends every other
 * login and API access token of the account, because a person who knew only the password may have created
 * them.
 * @throws Problem `invalid-request`, `forbidden` (with an API access token), `second-factor-on`,
 *   `second-factor-off` or `too-many-requests`.
 */
export async function confirmShownFactor(
  { db, sealer }: FactorParts,
  { accountId, sessionId }: AccountCaller,
  typed: CodeAt,
): Promise<readonly string[]> {
  if ((await findOwnLogin(db, { accountId, sessionId })) === undefined) throw needsLogin()
  const codes = await limitLoginAttempts(db, codeAttempt({ accountId, ...typed }), () =>
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

/**
 * Replaces all recovery codes by ten new codes and returns the new codes.
 * @throws Problem as `removeFactor` does.
 */
export function renewRecoveryCodes(parts: FactorParts, caller: AccountCaller, typed: CodeAt) {
  return withCode(parts, caller, typed, (tx) =>
    makeCodes(tx, caller.accountId, 'second_factor.recovery_codes_renewed'),
  )
}

/**
 * Removes the second factor.
 * @throws Problem `invalid-request`, `forbidden` (with an API access token), `second-factor-off` or
 *   `too-many-requests`.
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
  return fail('forbidden', 'Log in to change two-factor authentication; a token cannot.')
}

function isOn(): Problem {
  return fail(
    'second-factor-on',
    'Two-factor authentication is already enabled. Disable it first with one of its codes.',
  )
}

function isOff(): Problem {
  return fail(
    'second-factor-off',
    'Two-factor authentication is not enabled. Set it up first, with the password of the account.',
  )
}

function wrongCode(): Problem {
  return failField('/code', 'is not valid now: enter the code that the app shows, or wait for the next one')
}
