import { expect, it } from 'vitest'
import { apiKeyHash, newApiKey } from './api-key.ts'

it('G10 makes keys that differ and are looked up by a hash, which reveals nothing of a key that is nearly right', () => {
  const keys = Array.from({ length: 100 }, newApiKey)
  expect(new Set(keys).size).toBe(100)
  for (const key of keys) expect(apiKeyHash(key)).toHaveLength(32)
})

it('G10 knows every single mistyped, cut or padded key as none of ours, without looking it up', () => {
  const key = newApiKey()
  for (let index = 0; index < key.length; index++) {
    const other = key[index] === 'a' ? 'b' : 'a'
    expect(apiKeyHash(key.slice(0, index) + other + key.slice(index + 1))).toBeUndefined()
    expect(apiKeyHash(key.slice(0, index))).toBeUndefined()
  }
  for (const junk of ['', `${key} `, `${key}0`, key.toUpperCase(), `${key}, ${key}`, 'x'.repeat(10_000)]) {
    expect(apiKeyHash(junk)).toBeUndefined()
  }
})
