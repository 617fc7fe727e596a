import { expect, it, vi } from 'vitest'
import { UnsealError } from '../core/seal.ts'
import { Secret } from '../core/settings.ts'
import { rememberKeys } from './signing-keys.ts'

const open = (sealed: Buffer, merchantId: string) => new Secret(`${merchantId} ${sealed.toString('hex')}`)

it('opens a secret once, and another one that replaced it or belongs to another merchant for itself', () => {
  const openSecret = vi.fn(open)
  const keyOf = rememberKeys(openSecret)
  const first = keyOf(Buffer.of(1), 'a')
  expect(keyOf(Buffer.of(1), 'a')).toBe(first)
  for (const other of [keyOf(Buffer.of(2), 'a'), keyOf(Buffer.of(1), 'b')])
    expect(other.equals(first)).toBe(false)
  expect(openSecret).toHaveBeenCalledTimes(3)
})

it('keeps no more keys than it may, those that were used last', () => {
  const openSecret = vi.fn(open)
  const keyOf = rememberKeys(openSecret, 2)
  for (const index of [1, 2, 1, 3, 1]) keyOf(Buffer.of(index), 'a')
  expect(openSecret).toHaveBeenCalledTimes(3)
  keyOf(Buffer.of(2), 'a')
  expect(openSecret).toHaveBeenCalledTimes(4)
})

it('remembers no failure: a secret that could not be opened is tried again', () => {
  const openSecret = vi.fn(open).mockImplementationOnce(() => {
    throw new UnsealError('sealed under another ENCRYPTION_KEY')
  })
  const keyOf = rememberKeys(openSecret)
  expect(() => keyOf(Buffer.of(1), 'a')).toThrow(UnsealError)
  expect(keyOf(Buffer.of(1), 'a').symmetricKeySize).toBe('a 01'.length)
})
