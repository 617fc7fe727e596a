import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { macKeyId, macKeyRing } from './mac-key-ring.ts'

const older = randomBytes(32)
const newer = randomBytes(32)

it('accepts what it made, and no other text', () => {
  const keyRing = macKeyRing([newer])
  expect(keyRing.verify('a', keyRing.mac('a'))).toBe(true)
  expect(keyRing.verify('b', keyRing.mac('a'))).toBe(false)
})

it.each(['', '.', 'x', `${macKeyId(newer)}.`, `${macKeyId(newer)}.00`])(
  'refuses %j, which is no MAC',
  (mac) => {
    expect(macKeyRing([newer]).verify('a', mac)).toBe(false)
  },
)

it('makes MACs under its first key and still accepts those of former ones', () => {
  const before = macKeyRing([older]).mac('a')
  const rotated = macKeyRing([newer, older])
  expect(rotated.verify('a', before)).toBe(true)
  expect(rotated.mac('a').startsWith(`${macKeyId(newer)}.`)).toBe(true)
  expect(macKeyRing([newer]).verify('a', before)).toBe(false)
})

it('keeps purposes apart', () => {
  const keyRing = macKeyRing([newer])
  const journals = keyRing.forPurpose('journal')
  expect(keyRing.forPurpose('deposit').verify('a', journals.mac('a'))).toBe(false)
  expect(keyRing.verify('a', journals.mac('a'))).toBe(false)
  expect(keyRing.forPurpose('journal').verify('a', journals.mac('a'))).toBe(true)
})

it('refuses to be without a key, or with a short one', () => {
  expect(() => macKeyRing([])).toThrow(RangeError)
  expect(() => macKeyRing([Buffer.alloc(16)])).toThrow(RangeError)
})
