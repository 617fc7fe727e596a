import { dictionary } from '@zxcvbn-ts/language-common'
import { passwordFault } from './account.ts'

/** 49,000 passwords from published leaks, all lower case. */
const common: ReadonlySet<string> = new Set(dictionary['passwords'])

/**
 * What is wrong with a new password, or undefined. Most well-known passwords are shorter than ours may be; what people
 * make of them to get past a length is refused too: one with figures and signs around it, or one several times over.
 */
export function newPasswordFault(password: string, email: string): string | undefined {
  return passwordFault(password, email) ?? knownFault(password.normalize('NFKC').toLowerCase())
}

function knownFault(folded: string): string | undefined {
  const core = folded.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  if (core === '') return 'must not be of figures and signs alone'
  const forms = [folded, core, unrepeated(folded), unrepeated(core)]
  return forms.some((form) => common.has(form)) ? 'is too well known' : undefined
}

/** `abcabcabc` as `abc`; what is no repetition as it is. */
function unrepeated(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
