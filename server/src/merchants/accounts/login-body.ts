import { Type } from 'typebox'
import type { ProblemCode } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { emailCharsMax } from './account.ts'

// These limits exist only so that hashing takes limited work. The rules for new passwords are in `account.ts`
// and `new-password.ts`.
export const passwordIn = Type.String({ minLength: 1, maxLength: 4 * limits.passwordCharsMax })

export const newAccountBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: emailCharsMax }),
  password: passwordIn,
})

export const codeIn = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'the two-factor code that the authenticator app shows now, or a recovery code',
  examples: ['492039'],
})

export const loginBody = Type.Object({
  ...newAccountBody.properties,
  code: Type.Optional(codeIn),
})

export const loginErrors = [
  'invalid-login',
  'two-factor-required',
  'invalid-code',
  'too-many-requests',
] as const satisfies readonly ProblemCode[]
