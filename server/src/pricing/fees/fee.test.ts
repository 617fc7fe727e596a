import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { decimal } from '../../core/money.ts'
import {
  charge,
  defaultSchedule,
  type FeeTerms,
  feeDefaults,
  feeTypeOf,
  formatPercent,
  parsePercent,
  termsFor,
} from './fee.ts'

// These properties return a boolean, because an `expect` in each of the 100,000 runs would take most of the
// time.
const runs = { numRuns: 100_000 }
// A busy host needs longer than the default test timeout.
vi.setConfig({ testTimeout: 60_000 })
const decimals = fc.integer({ min: 0, max: 24 })
const gross = fc.oneof(fc.bigInt({ min: 0n, max: 10_000n }), fc.bigInt({ min: 0n, max: 10n ** 36n }))
const terms: fc.Arbitrary<FeeTerms> = fc.record({
  percentBasisPoints: fc.integer({ min: 0, max: 10_000 }),
  flatMinor: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 26n })),
})

describe('charge', () => {
  it('splits every amount without losing or making a unit, and takes at least what was agreed', () => {
    fc.assert(
      fc.property(gross, terms, decimals, (grossMinor, agreed, digits) => {
        const { feeMinor, netMinor } = charge(grossMinor, agreed, digits)
        const agreedTimes10k = grossMinor * BigInt(agreed.percentBasisPoints) + agreed.flatMinor * 10_000n
        return (
          feeMinor + netMinor === grossMinor &&
          feeMinor >= 0n &&
          netMinor >= 0n &&
          (netMinor === 0n || feeMinor * 10_000n >= agreedTimes10k)
        )
      }),
      runs,
    )
  })

  it('credits only amounts that a balance with 8 places can show, and keeps less than one such step', () => {
    fc.assert(
      fc.property(gross, terms, decimals, (grossMinor, agreed, digits) => {
        const { feeMinor, netMinor } = charge(grossMinor, agreed, digits)
        const step = 10n ** BigInt(Math.max(0, digits - 8))
        const percentMinor = (grossMinor * BigInt(agreed.percentBasisPoints) + 9_999n) / 10_000n
        const wanted = percentMinor + agreed.flatMinor
        return netMinor % step === 0n && (netMinor === 0n || feeMinor - wanted < step)
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
    (amount, digits, points, flat, fee, net) => {
      const agreed = { percentBasisPoints: points, flatMinor: decimal(flat, digits) }
      expect(charge(decimal(amount, digits), agreed, digits)).toEqual({
        feeMinor: decimal(fee, digits),
        netMinor: decimal(net, digits),
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
        return (
          flatMinor * priceUsd >= exact && (flatMinor - step) * priceUsd < exact && flatMinor % step === 0n
        )
      }),
      runs,
    )
  })

  it('takes a flat fee in the asset as it stands, whatever the price', () => {
    const schedule = defaultSchedule(feeDefaults.sandbox, 'onetime', { decimals: 6, isStable: true })
    expect(termsFor(schedule, { assetDecimals: 6, priceUsd: 1n })).toEqual({
      percentBasisPoints: 100,
      flatMinor: 100_000n,
    })
  })
})

it('charges more, or the same, for more', () => {
  fc.assert(
    fc.property(gross, gross, terms, decimals, (one, other, agreed, digits) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const ofLess = charge(less, agreed, digits)
      const ofMore = charge(more, agreed, digits)
      // The net is rounded down to a step of 10^-8, and the fee includes the remainder. With a higher gross,
      // the fee may therefore be lower, but by less than one step.
      const step = 10n ** BigInt(Math.max(0, digits - 8))
      return ofLess.netMinor <= ofMore.netMinor && ofLess.feeMinor < ofMore.feeMinor + step
    }),
    runs,
  )
})

describe('the defaults', () => {
  const stable = { decimals: 6, isStable: true }
  const volatile = { decimals: 18, isStable: false }

  it('of the sandbox are 1 percent, with 0.10 flat for stablecoins alone', () => {
    expect(defaultSchedule(feeDefaults.sandbox, 'collect', stable)).toEqual({
      type: 'collect',
      percentBasisPoints: 100,
      flat: { minor: 100_000n },
    })
    expect(defaultSchedule(feeDefaults.sandbox, 'collect', volatile).flat).toEqual({ minor: 0n })
    expect(defaultSchedule(feeDefaults.sandbox, 'withdrawal').flat).toEqual({ usd: 0n })
  })

  it('of production are nothing, whatever the asset', () => {
    for (const asset of [stable, volatile, undefined]) {
      const agreed = termsFor(defaultSchedule(feeDefaults.production, 'onetime', asset), {
        assetDecimals: 6,
        priceUsd: undefined,
      })
      expect(agreed).toEqual({ percentBasisPoints: 0, flatMinor: 0n })
    }
  })
})

it('asks no price for a flat fee that is none, and charges none in USD where there is no price', () => {
  const none = { assetDecimals: 18, priceUsd: undefined }
  expect(termsFor({ percentBasisPoints: 5, flat: { usd: 0n } }, none).flatMinor).toBe(0n)
  expect(termsFor({ percentBasisPoints: 5, flat: { usd: 7n } }, none).flatMinor).toBe(0n)
})

it('charges a deposit by the type of its invoice', () => {
  expect((['onetime', 'reusable', 'collect', 'withdraw', undefined] as const).map(feeTypeOf)).toEqual([
    'onetime',
    'reusable',
    'collect',
    'onetime',
    'onetime',
  ])
})

it('reads and writes percentages of two places', () => {
  expect(['0', '1.5', '0.01', '100', '100.01', '1.555', '-1', '1e2'].map(parsePercent)).toEqual([
    0,
    150,
    1,
    10_000,
    ...Array.from({ length: 4 }, () => undefined),
  ])
  expect([0, 150, 1, 10_000].map(formatPercent)).toEqual(['0', '1.5', '0.01', '100'])
})
