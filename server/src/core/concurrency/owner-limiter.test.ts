import { describe, expect, it } from 'vitest'
import { OwnerLimiter } from './owner-limiter.ts'

const limiter = (heldMax: number, heldPerOwnerMax: number) =>
  new OwnerLimiter({
    heldMax,
    heldPerOwnerMax,
    refuseOwner: () => new Error('your share'),
    refuseAll: () => new Error('all taken'),
  })

describe('slots of an owner limiter', () => {
  it('refuse an owner beyond its share while others still get one', () => {
    const few = limiter(3, 1)
    few.take('a')
    expect(() => few.take('a')).toThrow('your share')
    few.take('b')
    expect(few.held).toBe(2)
  })

  it('refuse everybody once all are taken, and take nothing with a refusal', () => {
    const few = limiter(1, 1)
    const leave = few.take('a')
    expect(() => few.take('b')).toThrow('all taken')
    leave()
    expect(few.held).toBe(0)
    few.take('b')
  })

  it('give one back once, however often it is left', () => {
    const few = limiter(2, 2)
    const leave = few.take('a')
    few.take('a')
    leave()
    leave()
    expect(few.held).toBe(1)
    few.take('a')
    expect(() => few.take('a')).toThrow('your share')
  })
})
