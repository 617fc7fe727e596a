import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type CostRate, coverFailure, failureCharge, inAsset, inCoin } from './failure-cost.ts'

const anyPrice = fc.bigInt(10n ** 8n, 10n ** 18n)
const anyAsset = fc
  .tuple(fc.constantFrom(6, 8, 18), fc.boolean(), anyPrice, anyPrice)
  .map(([assetDecimals, isCoin, coinPriceUsd, assetPriceUsd]) => {
    const priced = { type: 'priced', coinPriceUsd, coinDecimals: 18, assetPriceUsd, assetDecimals } as const
    const rate: CostRate = isCoin ? { type: 'same' } : priced
    return isCoin ? { assetDecimals: 18, rate } : { assetDecimals, rate }
  })
const anyGas = fc.bigInt(21_000n, 1_000_000n)
const anyFee = fc.bigInt(1n, 500n * 10n ** 9n)

/** Returns the smallest step of an order's amount: 10^-8, or the asset's smallest unit if that is larger. */
function step(assetDecimals: number): bigint {
  return 10n ** BigInt(Math.max(0, assetDecimals - 8))
}

it('A1 what is covered pays for its failure whole, up to the highest price that it may ever offer', () => {
  fc.assert(
    fc.property(anyAsset, anyGas, anyFee, fc.bigInt(1n, 10n ** 14n), (asset, gas, maxFeePerGas, steps) => {
      const { assetDecimals, rate } = asset
      const amountMinor = steps * step(assetDecimals)
      const cover = coverFailure({ amountMinor, gas, maxFeePerGas, ...asset })
      if (cover.type === 'short') {
        expect(cover.leastMinor).toBeGreaterThan(amountMinor)
        expect(coverFailure({ amountMinor: cover.leastMinor, gas, maxFeePerGas, ...asset }).type).toBe(
          'covered',
        )
        return
      }
      expect(cover.maxFeePerGasLimit).toBeGreaterThanOrEqual(maxFeePerGas)
      const costMinor = gas * cover.maxFeePerGasLimit
      const charged = failureCharge({ amountMinor, assetDecimals }, costMinor, rate)
      expect(charged).toBe(inAsset(costMinor, rate, assetDecimals))
      expect(inCoin(charged, rate)).toBeGreaterThanOrEqual(costMinor)
    }),
  )
})

it('A1 a failure never takes more than is held, and leaves nothing that no balance shows', () => {
  fc.assert(
    fc.property(anyAsset, fc.bigInt(1n, 10n ** 19n), fc.bigInt(1n, 10n ** 14n), (asset, costMinor, steps) => {
      const { assetDecimals, rate } = asset
      const amountMinor = steps * step(assetDecimals)
      const charged = failureCharge({ amountMinor, assetDecimals }, costMinor, rate)
      expect(charged).toBeGreaterThan(0n)
      expect(charged).toBeLessThanOrEqual(amountMinor)
      expect(charged % step(assetDecimals)).toBe(0n)
    }),
  )
})

it('A1 a token is charged at its price: gas of 0.001 ETH at 3,000 USD is 3 USDT', () => {
  const prices = { coinPriceUsd: 3_000n * 10n ** 12n, assetPriceUsd: 10n ** 12n }
  const rate = { type: 'priced', coinDecimals: 18, assetDecimals: 6, ...prices } as const
  expect(inAsset(10n ** 15n, rate, 6)).toBe(3_000_000n)
  expect(inAsset(10n ** 15n + 1n, rate, 6)).toBe(3_000_001n)
})

it('a hold must cover the data fee of a failure too', () => {
  const order = { assetDecimals: 18, gas: 10n, maxFeePerGas: 10n ** 10n, rate: { type: 'same' } as const }
  const amountMinor = 2n * 10n ** 11n
  expect(coverFailure({ ...order, amountMinor })).toEqual({
    type: 'covered',
    maxFeePerGasLimit: 2n * 10n ** 10n,
  })
  expect(coverFailure({ ...order, amountMinor, dataFeeMinor: 10n ** 11n })).toEqual({
    type: 'covered',
    maxFeePerGasLimit: 10n ** 10n,
  })
  expect(coverFailure({ ...order, amountMinor, dataFeeMinor: 10n ** 11n + 1n }).type).toBe('short')
})
