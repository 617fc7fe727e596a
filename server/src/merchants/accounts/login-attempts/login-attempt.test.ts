import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LoginAttempt, perSource, perSubject, waitS } from './login-attempt.ts'

const failed = (ageS: number, isSameSubject = true): LoginAttempt => ({
  ageS,
  isSameSubject,
  hasFailed: true,
})
const open = (ageS: number, isSameSubject = true): LoginAttempt => ({ ageS, isSameSubject, hasFailed: false })

describe('G08 whoever tries to log in', () => {
  it('may do so at once at first, then after growing pauses, then after a quarter of an hour', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((count) => waitS(Array.from({ length: count }, () => failed(0))))
    expect(waits).toEqual([0, 0, 0, 1, 4, 900])
  })

  it('waits until the oldest of five attempts is a quarter of an hour old', () => {
    expect(waitS([5, 100, 200, 300, 600].map((ageS) => failed(ageS)))).toBe(300)
    expect(waitS([5, 100, 200, 300, 900].map((ageS) => failed(ageS)))).toBe(0)
  })

  it('with many subjects waits until the oldest of twenty attempts is an hour old', () => {
    const others = Array.from({ length: 20 }, (_, index) => failed(index * 100, false))
    expect(waitS(others.slice(0, 19))).toBe(0)
    expect(waitS(others)).toBe(3600 - 1900)
  })

  it('many times at once is let in five times, and asked to come back in a second', () => {
    expect(waitS(Array.from({ length: 4 }, () => open(0)))).toBe(0)
    expect(waitS(Array.from({ length: 5 }, () => open(0)))).toBe(1)
    expect(waitS(Array.from({ length: 20 }, () => open(0, false)))).toBe(1)
  })

  it('however it is timed, gets at most five for one subject in a quarter of an hour and twenty at all in an hour', () => {
    const tries = fc.array(fc.record({ afterS: fc.integer({ min: 0, max: 400 }), subject: fc.nat(3) }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(tries, (attempts) => {
        let nowS = 0
        const made: { atS: number; subject: number }[] = []
        for (const { afterS, subject } of attempts) {
          nowS += afterS
          const known = made
            .filter(({ atS }) => nowS - atS < perSource.windowS)
            .map((one) => ({ ...failed(nowS - one.atS), isSameSubject: one.subject === subject }))
            .reverse()
          if (waitS(known) === 0) made.push({ atS: nowS, subject })
        }
        for (const { atS, subject } of made) {
          const since = (windowS: number) => made.filter((one) => one.atS <= atS && atS - one.atS < windowS)
          expect(since(perSource.windowS).length).toBeLessThanOrEqual(perSource.count)
          const same = since(perSubject.windowS).filter((one) => one.subject === subject)
          expect(same.length).toBeLessThanOrEqual(perSubject.count)
        }
      }),
      { numRuns: 100 },
    )
  })
})
