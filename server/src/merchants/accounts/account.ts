import { limits } from '../../core/limits.ts'

/** Someone who logs in. Merchants are joined to accounts by membership. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly isOperator: boolean
}

/** A login or an API access token: the row by whose id (`jti`) every token is checked and ended. */
export interface Session {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: Date
}

/** Where a login comes from, and what it says it is. */
export interface Browser {
  readonly address: string
  readonly userAgent: string | undefined
}

/** A login as its owner sees it. */
export interface Login {
  readonly id: string
  readonly createdAt: Date
  /** To within a minute; null where nobody keeps that. */
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

/** The one spelling under which an email is stored and found. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase()
}

/** What nobody sees, or what turns what stands around it: two emails that look alike would be two accounts. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** What is wrong with an email, or undefined. Whether it can receive mail only mail can tell. */
export function emailFault(email: string): string | undefined {
  if (unseen.test(foldEmail(email))) return 'must not have characters in it that nobody sees'
  return /^[^\s@]{1,64}@[^\s@]+$/.test(foldEmail(email))
    ? undefined
    : 'must be an email address such as ada@example.com'
}

/**
 * What is wrong with a new password, or undefined. Length is what counts (NIST SP 800-63B, 5.1.1.2): no rules about
 * kinds of characters.
 */
export function passwordFault(password: string, email: string): string | undefined {
  const chars = [...password].length
  if (chars < limits.passwordChars) return `must have at least ${limits.passwordChars} characters`
  if (chars > limits.passwordCharsMax) return `must have at most ${limits.passwordCharsMax} characters`
  if (new Set(password).size < 4) return 'must not repeat so few characters'
  return password.toLowerCase().includes(foldEmail(email)) ? 'must not contain the email address' : undefined
}
