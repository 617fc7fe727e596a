import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal } from '../core/money.ts'
import { charge, type FeeTerms, sandboxSchedule, termsFor } from './fee.ts'

const runs = { numRuns: 100_000 }
const decimals = fc.integer({ min: 0, max: 24 })
const gross = fc.oneof(fc.bigInt({ min: 0n, max: 10_000n }), fc.bigInt({ min: 0n, max: 10n ** 36n }))
const terms: fc.Arbitrary<FeeTerms> = fc.record({
  percentBasisPoints: fc.integer({ min: 0, max: 10_000 }),
  flatMinor: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 26n })),
})

describe('charge', () => {
  it('splits every amount without losing or making a unit, and takes at least what was agreed', () => {
    fc.assert(
      fc.property(gross, terms, decimals, (grossMinor, agreed, places) => {
        const { feeMinor, netMinor } = charge(grossMinor, agreed, places)
        expect(feeMinor + netMinor).toBe(grossMinor)
        expect(feeMinor >= 0n && netMinor >= 0n).toBe(true)
        const agreedTimes10k = grossMinor * BigInt(agreed.percentBasisPoints) + agreed.flatMinor * 10_000n
        expect(netMinor === 0n || feeMinor * 10_000n >= agreedTimes10k).toBe(true)
      }),
      runs,
    )
  })

  it('credits only amounts that a balance with 8 places can show, and keeps less than one such step', () => {
    fc.assert(
      fc.property(gross, terms, decimals, (grossMinor, agreed, places) => {
        const { feeMinor, netMinor } = charge(grossMinor, agreed, places)
        const step = 10n ** BigInt(Math.max(0, places - 8))
        expect(netMinor % step).toBe(0n)
        const percentMinor = (grossMinor * BigInt(agreed.percentBasisPoints) + 9_999n) / 10_000n
        const wanted = percentMinor + agreed.flatMinor
        expect(netMinor === 0n || feeMinor - wanted < step).toBe(true)
      }),
      runs,
    )
  })

  it.each([
    ['100', 6, 100, '0.1', '1.1', '98.9'],
    ['0.05', 6, 100, '0.1', '0.05', '0'],
    ['0.000001', 6, 100, '0', '0.000001', '0'],
    ['1', 18, 0, '0', '0', '1'],
    ['1.123456789012345678', 18, 0, '0', '0.000000009012345678', '1.12345678'],
    ['2', 8, 10_000, '0', '2', '0'],
  ])(
    'charges %s of an asset with %i places, %i basis points and %s flat',
    (amount, places, points, flat, fee, net) => {
      const agreed = { percentBasisPoints: points, flatMinor: decimal(flat, places) }
      expect(charge(decimal(amount, places), agreed, places)).toEqual({
        feeMinor: decimal(fee, places),
        netMinor: decimal(net, places),
      })
    },
  )
})

describe('termsFor', () => {
  it('converts a flat fee in USD so that it is worth at least that, and less than one shown step more', () => {
    const price = fc.bigInt({ min: 10n ** 6n, max: 10n ** 18n })
    const usd = fc.bigInt({ min: 0n, max: 10n ** 14n })
    fc.assert(
      fc.property(usd, price, decimals, (flatUsd, priceUsd, assetDecimals) => {
        const schedule = { percentBasisPoints: 0, flat: { usd: flatUsd } }
        const { flatMinor } = termsFor(schedule, { assetDecimals, priceUsd })
        const exact = flatUsd * 10n ** BigInt(4 + assetDecimals)
        const step = 10n ** BigInt(Math.max(0, assetDecimals - 8))
        expect(flatMinor * priceUsd >= exact).toBe(true)
        expect((flatMinor - step) * priceUsd < exact).toBe(true)
        expect(flatMinor % step).toBe(0n)
      }),
      runs,
    )
  })

  it('takes a flat fee in the asset as it stands, whatever the price', () => {
    const schedule = sandboxSchedule('onetime', { symbol: 'USDT', decimals: 6 })
    expect(termsFor(schedule, { assetDecimals: 6, priceUsd: 1n })).toEqual({
      percentBasisPoints: 100,
      flatMinor: 100_000n,
    })
  })
})

it('charges 1 percent in the sandbox, with 0.10 flat for stablecoins alone', () => {
  expect(sandboxSchedule('collect', { symbol: 'USDC', decimals: 6 }).flat).toEqual({ minor: 100_000n })
  expect(sandboxSchedule('collect', { symbol: 'ETH', decimals: 18 }).flat).toEqual({ minor: 0n })
  expect(sandboxSchedule('collect')).toEqual({
    type: 'collect',
    percentBasisPoints: 100,
    flat: { minor: 0n },
  })
})
