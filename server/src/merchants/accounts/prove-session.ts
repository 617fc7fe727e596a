import { fail, failField } from '../../core/errors.ts'
import type { AccountCaller } from '../../platform/http/auth.ts'
import { guesserAt, limitGuesses } from './guesses/limit-guesses.ts'
import type { ProofParts } from './prove-login.ts'
import { codeRefused, proveCode } from './second-factor/prove-code.ts'
import { hasConfirmedFactor } from './second-factor/store.ts'
import { findOwnLogin } from './store.ts'
import type { Tokens } from './tokens.ts'

export interface SessionProofParts extends ProofParts {
  readonly tokens: Tokens
}

/** What was typed by whoever sits before a page that is logged in already. */
export interface ProofTyped {
  readonly password?: string | undefined
  /** Of the second factor; where one is on it is asked for in place of the password. */
  readonly code?: string | undefined
  /** Where it comes from. */
  readonly address: string
}

export interface SessionProof {
  readonly proof: string
  readonly expiresAt: Date
}

/**
 * Proves that the account's owner sits before this session: a cookie may have been stolen, or a computer left open. Wrong
 * tries count with those of logins. The proof is good for this session and a few minutes alone, and it is stored nowhere.
 * @throws Problem invalid-request, forbidden (with an API access token), two-factor-required, invalid-code,
 * too-many-requests
 */
export async function proveSession(
  parts: SessionProofParts,
  { accountId, sessionId }: AccountCaller,
  typed: ProofTyped,
): Promise<SessionProof> {
  const login = await findOwnLogin(parts.db, { accountId, sessionId })
  if (login === undefined) throw fail('forbidden', 'Log in to do this; an API access token needs no proof.')
  if (await hasConfirmedFactor(parts.db, accountId)) await requireCode(parts, accountId, typed)
  else await requirePassword(parts, { accountId, ...login }, typed)
  return parts.tokens.issueProof(sessionId)
}

async function requireCode(
  parts: SessionProofParts,
  accountId: string,
  { code, address }: ProofTyped,
): Promise<void> {
  if (code === undefined) throw fail('two-factor-required', 'Send the code that the app shows as "code".')
  const isRight = await proveCode(parts, { accountId, code, address }, async () => true)
  if (isRight === undefined) throw codeRefused()
}

async function requirePassword(
  { db, passwords }: SessionProofParts,
  { accountId, email, passwordHash }: { accountId: string; email: string; passwordHash: string },
  { password, address }: ProofTyped,
): Promise<void> {
  if (password === undefined) throw failField('/password', 'is needed: the account has no second factor')
  const source = guesserAt(address)
  const isRight = await passwords.inShare(source, () =>
    limitGuesses(db, { source, subject: email, accountId }, async () =>
      (await passwords.matches(password, passwordHash)) ? true : undefined,
    ),
  )
  if (isRight === undefined) throw failField('/password', 'is not the present password')
}
