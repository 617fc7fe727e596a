import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  amountBucketOf,
  amountsPerBlock,
  dayOf,
  leastAbove,
  leastOfBucket,
  type Span,
  splitRange,
  startOfDay,
} from './count-range.ts'

const within = (value: number, [from, to]: Span) => value >= from && value < to

describe('a range of buckets', () => {
  it('is covered once by its parts, and nothing else is', () => {
    const bucket = fc.option(fc.integer({ min: -500, max: 500 }), { nil: undefined })
    fc.assert(
      fc.property(
        bucket,
        bucket,
        fc.constantFrom(32, 100),
        fc.integer({ min: -700, max: 700 }),
        (a, b, factor, probe) => {
          const [first, last] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b]
          const { coarse, before, after } = splitRange({ first, last }, factor)
          const covers =
            Number(within(Math.floor(probe / factor), coarse)) +
            Number(within(probe, before)) +
            Number(within(probe, after))
          const isInside = probe >= (first ?? -1000) && probe <= (last ?? 1000)
          expect(covers).toBe(isInside ? 1 : 0)
        },
      ),
    )
  })
})

describe('buckets of amounts', () => {
  const amount = fc.oneof(
    fc.bigInt(0n, 20_000n),
    fc.bigInt(1n, 10n ** 20n - 1n),
    fc.nat({ max: 20 }).map((digits) => 10n ** BigInt(digits)),
  )

  it('hold what lies between their ends', () => {
    fc.assert(
      fc.property(amount, (one) => {
        const bucket = amountBucketOf(one)
        expect(leastOfBucket(bucket) <= one && one < leastAbove(bucket)).toBe(true)
      }),
    )
  })

  it('are in the order of the amounts, and so are blocks of them', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        expect(amountBucketOf(less)).toBeLessThanOrEqual(amountBucketOf(more))
        expect(Math.floor(amountBucketOf(less) / amountsPerBlock)).toBeLessThanOrEqual(
          Math.floor(amountBucketOf(more) / amountsPerBlock),
        )
      }),
    )
  })
})

describe('days', () => {
  it('begin at midnight in UTC, before 1970 as well', () => {
    expect(startOfDay(dayOf(new Date('2026-02-03T23:59:59.999Z'))).toISOString()).toBe(
      '2026-02-03T00:00:00.000Z',
    )
    expect(startOfDay(dayOf(new Date('1969-12-31T00:00:00.001Z'))).toISOString()).toBe(
      '1969-12-31T00:00:00.000Z',
    )
  })
})
