import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { macKeyId, macRing } from './mac-ring.ts'

const older = randomBytes(32)
const newer = randomBytes(32)

it('accepts what it made, and no other text', () => {
  const ring = macRing([newer])
  expect(ring.verify('a', ring.mac('a'))).toBe(true)
  expect(ring.verify('b', ring.mac('a'))).toBe(false)
})

it.each(['', '.', 'x', `${macKeyId(newer)}.`, `${macKeyId(newer)}.00`])(
  'refuses %j, which is no MAC',
  (mac) => {
    expect(macRing([newer]).verify('a', mac)).toBe(false)
  },
)

it('makes MACs under its first key and still accepts those of former ones', () => {
  const before = macRing([older]).mac('a')
  const rotated = macRing([newer, older])
  expect(rotated.verify('a', before)).toBe(true)
  expect(rotated.mac('a').startsWith(`${macKeyId(newer)}.`)).toBe(true)
  expect(macRing([newer]).verify('a', before)).toBe(false)
})

it('keeps purposes apart', () => {
  const ring = macRing([newer])
  const journals = ring.forPurpose('journal')
  expect(ring.forPurpose('deposit').verify('a', journals.mac('a'))).toBe(false)
  expect(ring.verify('a', journals.mac('a'))).toBe(false)
  expect(ring.forPurpose('journal').verify('a', journals.mac('a'))).toBe(true)
})

it('refuses to be without a key, or with a short one', () => {
  expect(() => macRing([])).toThrow(RangeError)
  expect(() => macRing([Buffer.alloc(16)])).toThrow(RangeError)
})
