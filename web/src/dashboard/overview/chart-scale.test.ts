import { describe, expect, it } from 'vitest'
import { namedDays, shortDollars, ticksUpTo } from './chart-scale.ts'

describe('an axis', () => {
  it.each([
    [97.5, [0, 25, 50, 75, 100]],
    [16_433.67, [0, 5_000, 10_000, 15_000, 20_000]],
    [100, [0, 25, 50, 75, 100]],
    [0.03, [0, 0.01, 0.02, 0.03, 0.04]],
    [1_000_000, [0, 250_000, 500_000, 750_000, 1_000_000]],
  ])('up to %s has round marks', (longest, ticks) => {
    const found = ticksUpTo(longest)
    expect(found).toHaveLength(ticks.length)
    for (const [index, tick] of ticks.entries()) expect(found[index]).toBeCloseTo(tick, 10)
  })

  it('has short names for its marks', () => {
    expect([0, 25, 1_500, 2_500_000].map(shortDollars)).toEqual(['$0', '$25', '$1.5K', '$2.5M'])
  })
})

it.each([
  [1, [0]],
  [7, [0, 2, 4, 6]],
  [30, [5, 11, 17, 23, 29]],
  [90, [17, 35, 53, 71, 89]],
])('of %i days has named days at equal distances that end with the last', (count, named) => {
  const days = Array.from({ length: count }, (_, day) => day)
  expect(namedDays(days)).toEqual(named)
})
