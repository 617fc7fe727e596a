import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bumped, gasFor, priceFor, pricePolicy } from './price-gas.ts'

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

describe('prices', () => {
  it('E05 are never above the ceiling, and none is offered where the network asks for more', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 13n), fc.bigInt(0n, 10n ** 13n), (baseFeeMinor, tipMinor) => {
        const offered = priceFor({ baseFeeMinor, tipMinor })
        if (offered === undefined) {
          expect(baseFeeMinor + pricePolicy.tipMinorMax).toBeGreaterThan(pricePolicy.maxFeeMinorMax)
          return
        }
        expect(offered.maxFeeMinor).toBeLessThanOrEqual(pricePolicy.maxFeeMinorMax)
        expect(offered.maxFeeMinor).toBeGreaterThanOrEqual(baseFeeMinor + offered.tipMinor)
        expect(offered.tipMinor).toBeLessThanOrEqual(offered.maxFeeMinor)
      }),
    )
  })

  it('E21 hold gas within bounds, whatever a node estimates, and tell of what cannot be', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 12n), fc.boolean(), (estimate, movesToken) => {
        const { gas } = gasFor('withdrawal', movesToken, estimate)
        expect(gas).toBeGreaterThanOrEqual(movesToken ? 90_000n : 21_000n)
        expect(gas).toBeLessThanOrEqual(1_000_000n)
      }),
    )
    expect(gasFor('withdrawal', true, 0n)).toEqual({ gas: 90_000n, isAbsurd: true })
    expect(gasFor('withdrawal', true, 60_000n * 10n ** 6n)).toEqual({ gas: 1_000_000n, isAbsurd: true })
    expect(gasFor('withdrawal', false, 21_000n)).toEqual({ gas: 25_200n, isAbsurd: false })
  })
})
