import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bumped } from './bump.ts'
import { pricePolicy } from './plan.ts'

const anyMinor = fc.bigInt(0n, 10n ** 12n)

it('E05 offers at least an eighth more of both, never above the ceiling, or nothing', () => {
  fc.assert(
    fc.property(anyMinor, anyMinor, anyMinor, anyMinor, (maxFeeMinor, tip, baseFeeMinor, tipNow) => {
      const tipMinor = tip < maxFeeMinor ? tip : maxFeeMinor
      const next = bumped({ gas: 21_000n, maxFeeMinor, tipMinor }, { baseFeeMinor, tipMinor: tipNow })
      if (next === undefined) {
        expect(maxFeeMinor * 9n).toBeGreaterThan(pricePolicy.maxFeeMinorMax * 8n - 8n)
        return
      }
      expect(next.gas).toBe(21_000n)
      expect(next.maxFeeMinor * 8n).toBeGreaterThanOrEqual(maxFeeMinor * 9n)
      expect(next.tipMinor * 8n).toBeGreaterThanOrEqual(tipMinor * 9n)
      expect(next.maxFeeMinor).toBeLessThanOrEqual(pricePolicy.maxFeeMinorMax)
      expect(next.tipMinor).toBeLessThanOrEqual(next.maxFeeMinor)
    }),
  )
})
