import { describe, expect, it } from 'vitest'
import { encryptionKeyId, openSealer, UnsealError } from './seal.ts'
import { Secret } from './settings.ts'

const key = new Secret('0123456789abcdef'.repeat(4))
const sealer = openSealer(key)

describe('a sealed secret', () => {
  it('opens to itself, also when empty or beyond ASCII', () => {
    for (const text of ['', 'plain', 'ünï 😀 \u0000', 'x'.repeat(100_000)]) {
      expect(sealer.open(sealer.seal(text, 'a:1'), 'a:1').reveal()).toBe(text)
    }
  })

  it('shows nothing of its text and never looks the same twice', () => {
    const first = sealer.seal('a known secret', 'a:1')
    expect(first.includes('known')).toBe(false)
    expect(first.equals(sealer.seal('a known secret', 'a:1'))).toBe(false)
  })

  it('does not open for another context', () => {
    expect(() => sealer.open(sealer.seal('text', 'a:1'), 'a:2')).toThrow(UnsealError)
  })

  it('does not open under another key, and says so', () => {
    const other = openSealer(new Secret('ff'.repeat(32)))
    expect(() => other.open(sealer.seal('text', 'a:1'), 'a:1')).toThrow('sealed under another ENCRYPTION_KEY')
  })

  it('carries the id of its key, which is the same in every form and another for another key', () => {
    const id = encryptionKeyId(key)
    expect(sealer.seal('text', 'a:1').subarray(1, 5).toString('hex')).toBe(id)
    expect(encryptionKeyId(new Secret(key.reveal().toUpperCase()))).toBe(id)
    expect(encryptionKeyId(new Secret('ff'.repeat(32)))).not.toBe(id)
  })

  it('does not open when any one byte is changed or missing', () => {
    const sealed = sealer.seal('text', 'a:1')
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
      expect(() => sealer.open(altered, 'a:1')).toThrow(UnsealError)
      expect(() => sealer.open(sealed.subarray(0, index), 'a:1')).toThrow(UnsealError)
    }
  })

  it('takes a key of 32 bytes in hex or base64 and no other', () => {
    const base64 = Buffer.from(key.reveal(), 'hex').toString('base64')
    expect(openSealer(new Secret(base64)).open(sealer.seal('text', 'a:1'), 'a:1').reveal()).toBe('text')
    for (const text of ['', 'short', 'ab'.repeat(31), 'g'.repeat(64), 'a'.repeat(100)]) {
      expect(() => openSealer(new Secret(text))).toThrow(TypeError)
    }
  })
})
