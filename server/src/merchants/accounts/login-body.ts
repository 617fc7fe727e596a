import { Type } from 'typebox'
import type { ProblemCode } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { emailCharsMax } from './account.ts'

// Lengths of a new password are a rule of their own; here they only bound the work.
export const passwordIn = Type.String({ minLength: 1, maxLength: 4 * limits.passwordCharsMax })

export const newAccountBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: emailCharsMax }),
  password: passwordIn,
})

export const codeIn = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'of the account’s second factor: what its app shows now, or a recovery code',
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
