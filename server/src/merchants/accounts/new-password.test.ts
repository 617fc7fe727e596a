import { expect, it } from 'vitest'
import { newPasswordError } from './new-password.ts'

const email = 'ada@example.com'

it.each([
  'qwerty123456',
  'QWERTY123456',
  '1q2w3e4r5t6y',
  'password1234',
  'Password!2024',
  '!!!letmein!!!',
  'sunshine_12345',
  'passwordpassword',
  'qwertyqwertyqwerty!',
])('refuses %s as too well known', (password) => {
  expect(newPasswordError(password, email)).toBe('is too common')
})

it.each(['correct horse battery staple', 'caf\u00e9 au lait noir', 'zu Fuß nach Aachen', 'kX9#vvQe21mmTz'])(
  'takes %s',
  (password) => {
    expect(newPasswordError(password, email)).toBeUndefined()
  },
)

it.each(['837264918273645', '2024-11-21 18:30'])('refuses %s as figures and signs alone', (password) => {
  expect(newPasswordError(password, email)).toMatch(/digits and symbols/)
})

it('reports a length or the email first', () => {
  expect(newPasswordError('password', email)).toMatch(/at least 12/)
  expect(newPasswordError('ada@example.com', email)).toMatch(/email/)
})
