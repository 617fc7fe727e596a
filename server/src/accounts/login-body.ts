import { Type } from 'typebox'
import { limits } from '../core/limits.ts'
import { emailCharsMax } from './account.ts'

// Lengths of a new password are a rule of their own; here they only bound the work.
export const passwordIn = Type.String({ minLength: 1, maxLength: 4 * limits.passwordCharsMax })

export const newAccountBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: emailCharsMax }),
  password: passwordIn,
})

export const loginBody = Type.Object({
  ...newAccountBody.properties,
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'of an account with a second factor: what its app shows now, or a recovery code',
    }),
  ),
})
