/** Codes for those who lost the app: 80 random bits each, taken once. */
import { createHash, randomBytes } from 'node:crypto'
import { base32 } from './totp.ts'

export const recoveryCodes = 10
const codeBytes = 10

/** Ten new codes such as `k3xq-7fd2-m4ra-z6te`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = base32(randomBytes(codeBytes)).toLowerCase()
    return text.replaceAll(/(.{4})(?=.)/g, '$1-')
  })
}

/** What is stored of one that was shown or typed; undefined where what was typed cannot be one. */
export function recoveryCodeHash(typed: string): Buffer | undefined {
  const text = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(text) ? createHash('sha256').update(text).digest() : undefined
}
