import { limits } from '../../core/limits.ts'

/** A person's account. Membership connects accounts with merchants. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly isOperator: boolean
}

/**
 * A login or an API access token. Every token contains the id of its session as `jti`. Tokens are checked and
 * revoked by this id.
 */
export interface Session {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: Date
}

/** The client of a login: its network address and the user agent that it sends. */
export interface Browser {
  readonly address: string
  readonly userAgent: string | undefined
}

/** A login as shown to its owner. */
export interface Login {
  readonly id: string
  readonly createdAt: Date
  /**
   * Time of the last recorded use, accurate to a minute. Only logins of browsers record their use. Null if no
   * use was recorded.
   */
  readonly seenAt: Date | null
  readonly expiresAt: Date
  readonly address: string | null
  readonly userAgent: string | null
}

export interface AccessToken {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

export const emailCharsMax = 254
export const accessTokenDaysMax = 90

/** Returns the canonical form in which an email is stored and looked up. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase()
}

/**
 * Invisible characters, and characters that change the direction of text. Emails with these characters are
 * rejected, because two emails that look alike could otherwise belong to two accounts.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Returns the error in an email, or undefined. Does not check whether mail to this address arrives. */
export function emailError(email: string): string | undefined {
  if (unseen.test(normalizeEmail(email))) return 'must not contain invisible characters'
  return /^[^\s@]{1,64}@[^\s@]+$/.test(normalizeEmail(email))
    ? undefined
    : 'must be an email address such as ada@example.com'
}

/**
 * Returns the error in a new password, or undefined. Rejects a wrong length, fewer than 4 different
 * characters, and the email in the password. No kinds of characters are required (NIST SP 800-63B, 5.1.1.2).
 */
export function passwordError(password: string, email: string): string | undefined {
  const chars = [...password].length
  if (chars < limits.passwordChars) return `must have at least ${limits.passwordChars} characters`
  if (chars > limits.passwordCharsMax) return `must have at most ${limits.passwordCharsMax} characters`
  if (new Set(password).size < 4) return 'must contain at least 4 different characters'
  return password.toLowerCase().includes(normalizeEmail(email))
    ? 'must not contain the email address'
    : undefined
}
