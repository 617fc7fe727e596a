import { describe, expect, it } from 'vitest'
import { isId, newId } from './ids.ts'

describe('an id', () => {
  it('is a UUID of version 7 and of the RFC 9562 variant that begins with its millisecond', () => {
    const id = newId(Date.UTC(2026, 0, 1))
    expect(id).toMatch(/^019b76da-a800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(isId(id)).toBe(true)
  })

  it('sorts by its time', () => {
    const ids = [1, 2, 3].map((second) => newId(second * 1000))
    expect(ids.toSorted()).toEqual(ids)
  })

  it('is distinguished from anything else', () => {
    for (const text of ['', 'a', '../..', `${newId()}0`, newId().replace('-', '')])
      expect(isId(text), text).toBe(false)
  })
})
