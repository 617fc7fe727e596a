/**
 * Recovery codes for users who lost their authenticator app. Each code has 80 random bits and can be used
 * once.
 */

import { createHash } from 'node:crypto'
import { randomBytes } from '../../../core/chance.ts'
import { base32 } from './totp.ts'

export const recoveryCodes = 10
const codeBytes = 10

/** Returns ten new codes such as `k3xq-7fd2-m4ra-z6te`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = base32(randomBytes(codeBytes)).toLowerCase()
    return text.replaceAll(/(.{4})(?=.)/g, '$1-')
  })
}

/** Returns the stored hash of a code; undefined if the text cannot be a recovery code. */
export function recoveryCodeHash(typed: string): Buffer | undefined {
  const text = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(text) ? createHash('sha256').update(text).digest() : undefined
}
