import { describe, expect, it } from 'vitest'
import { Seats } from './seats.ts'

const seats = (seatsMax: number, seatsPerOwnerMax: number) =>
  new Seats({
    seatsMax,
    seatsPerOwnerMax,
    refuseOwner: () => new Error('your share'),
    refuseAll: () => new Error('all taken'),
  })

describe('seats', () => {
  it('refuse an owner beyond its share while others still get one', () => {
    const few = seats(3, 1)
    few.take('a')
    expect(() => few.take('a')).toThrow('your share')
    few.take('b')
    expect(few.taken).toBe(2)
  })

  it('refuse everybody once all are taken, and take nothing with a refusal', () => {
    const few = seats(1, 1)
    const leave = few.take('a')
    expect(() => few.take('b')).toThrow('all taken')
    leave()
    expect(few.taken).toBe(0)
    few.take('b')
  })

  it('give one back once, however often it is left', () => {
    const few = seats(2, 2)
    const leave = few.take('a')
    few.take('a')
    leave()
    leave()
    expect(few.taken).toBe(1)
    few.take('a')
    expect(() => few.take('a')).toThrow('your share')
  })
})
