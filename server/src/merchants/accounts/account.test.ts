import { expect, it } from 'vitest'
import { emailError } from './account.ts'

it.each(['ada@example.com', ' Ada+shop@Example.COM ', 'müller@bücher.example', '山田@例え.jp'])(
  'takes %j',
  (email) => {
    expect(emailError(email)).toBeUndefined()
  },
)

it.each([
  'ada',
  'ada@',
  'a b@example.com',
  'ada\u200b@example.com',
  'ada\u00ad@example.com',
  'ada@example.com\u0000',
  'moc.elpmaxe@\u202eada@x',
  'ada\u2066@example.com',
  'ada@exa\u034fmple.com',
  'ada\ufe0f@example.com',
  'ada\u3164@example.com',
])('refuses %j', (email) => {
  expect(emailError(email)).toMatch(/^must /)
})
