import { fail, failField } from '../../core/errors.ts'
import type { AccountCaller } from '../../platform/http/auth.ts'
import { attemptSource, limitLoginAttempts } from './login-attempts/limit-login-attempts.ts'
import type { ProofParts } from './prove-login.ts'
import { codeRefused, proveCode } from './second-factor/prove-code.ts'
import { hasConfirmedFactor } from './second-factor/store.ts'
import { findOwnLogin } from './store.ts'
import type { Tokens } from './tokens.ts'

export interface SessionProofParts extends ProofParts {
  readonly tokens: Tokens
}

/** The credentials entered by the user of a session that is already logged in. */
export interface ProofTyped {
  readonly password?: string | undefined
  /**
   * Code of the second factor. If the account has a second factor, the code is required instead of the
   * password.
   */
  readonly code?: string | undefined
  /** Network address of the client. */
  readonly address: string
}

export interface SessionProof {
  readonly proof: string
  readonly expiresAt: Date
}

/**
 * Checks that the account's owner is using this session, and returns a session proof. The cookie alone proves
 * nothing, because it may be stolen, or the computer may be unattended. Wrong attempts count in the same way
 * as wrong logins. The session proof is valid for this session only, for a few minutes, and is not stored.
 * @throws Problem `invalid-request`, `forbidden` (with an API access token), `two-factor-required`,
 *   `invalid-code` or `too-many-requests`.
 */
export async function proveSession(
  parts: SessionProofParts,
  { accountId, sessionId }: AccountCaller,
  typed: ProofTyped,
): Promise<SessionProof> {
  const login = await findOwnLogin(parts.db, { accountId, sessionId })
  if (login === undefined)
    throw fail('forbidden', 'Log in with a browser session; an API access token needs no proof.')
  if (await hasConfirmedFactor(parts.db, accountId)) await requireCode(parts, accountId, typed)
  else await requirePassword(parts, { accountId, ...login }, typed)
  return parts.tokens.issueProof(sessionId)
}

async function requireCode(
  parts: SessionProofParts,
  accountId: string,
  { code, address }: ProofTyped,
): Promise<void> {
  if (code === undefined)
    throw fail('two-factor-required', 'Send the code that the authenticator app shows as "code".')
  const isRight = await proveCode(parts, { accountId, code, address }, async () => true)
  if (isRight === undefined) throw codeRefused()
}

async function requirePassword(
  { db, passwords }: SessionProofParts,
  { accountId, email, passwordHash }: { accountId: string; email: string; passwordHash: string },
  { password, address }: ProofTyped,
): Promise<void> {
  if (password === undefined)
    throw failField('/password', 'is required, because two-factor authentication is not enabled')
  const source = attemptSource(address)
  const isRight = await passwords.inShare(source, () =>
    limitLoginAttempts(db, { source, subject: email, accountId }, async () =>
      (await passwords.matches(password, passwordHash)) ? true : undefined,
    ),
  )
  if (isRight === undefined) throw failField('/password', 'is not the current password')
}
