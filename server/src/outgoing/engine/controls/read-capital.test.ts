import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coveredCount } from './read-capital.ts'

it("covers no more gas than the operator's own money pays, in order", () => {
  fc.assert(
    fc.property(
      fc.bigInt(-100n, 1_000n),
      fc.array(fc.bigInt(1n, 200n), { maxLength: 20 }),
      (capital, costs) => {
        const count = coveredCount(capital, costs)
        const sum = (some: readonly bigint[]) => some.reduce((total, cost) => total + cost, 0n)
        if (count > 0) expect(sum(costs.slice(0, count))).toBeLessThanOrEqual(capital)
        if (count < costs.length) expect(sum(costs.slice(0, count + 1))).toBeGreaterThan(capital)
      },
    ),
  )
})
