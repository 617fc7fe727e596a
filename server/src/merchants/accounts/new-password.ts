import { dictionary } from '@zxcvbn-ts/language-common'
import { passwordError } from './account.ts'

/** 49,000 passwords from published leaks, all lower case. */
const common: ReadonlySet<string> = new Set(dictionary['passwords'])

/**
 * Returns the error in a new password, or undefined. Well-known passwords are rejected. Most of them are
 * shorter than the minimum length, so their common extensions are rejected too: digits and signs before or
 * after the password, or the password repeated.
 */
export function newPasswordError(password: string, email: string): string | undefined {
  return passwordError(password, email) ?? knownPasswordError(password.normalize('NFKC').toLowerCase())
}

function knownPasswordError(normalized: string): string | undefined {
  const core = normalized.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  if (core === '') return 'must not consist of digits and symbols only'
  const forms = [normalized, core, unrepeated(normalized), unrepeated(core)]
  return forms.some((form) => common.has(form)) ? 'is too common' : undefined
}

/**
 * Returns the unit of a repetition, such as `abc` for `abcabcabc`. Returns the text itself if it is not a
 * repetition.
 */
function unrepeated(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
