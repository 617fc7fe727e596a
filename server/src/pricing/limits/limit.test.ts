import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal, divide, usdDecimals } from '../../core/money.ts'
import { mainPaymentMethods } from '../payment-methods/catalogue.ts'
import { type LimitOverride, limitsFrom, limitTypes, methodMinimumUsd, minimumUsdFor } from './limit.ts'

const usd = (amount: string) => decimal(amount, usdDecimals)
const methods = mainPaymentMethods()
const override = (minimum: LimitOverride['minimum'], over: Partial<LimitOverride> = {}): LimitOverride => ({
  type: 'withdraw',
  minimum,
  ...over,
})
const withdrawOf = (overrides: readonly LimitOverride[], id: number) =>
  limitsFrom(methods, overrides).methods.find(({ method }) => method.id === id)?.minWithdrawMinor

describe('limits', () => {
  it('are 1 USD, and 1 USD’s worth of each asset, where nothing is set', () => {
    const limits = limitsFrom(methods.slice(0, 3), [])
    expect([limits.minCollectUsd, limits.minWithdrawUsd]).toEqual([usd('1'), usd('1')])
    expect(limits.methods.map((one) => one.minWithdrawMinor)).toEqual([10n ** 6n, 10n ** 6n, 4n * 10n ** 14n])
    expect(limits.methods.map((one) => one.minCollectMinor)).toEqual([10n ** 6n, 10n ** 6n, 4n * 10n ** 14n])
  })

  it('of merchant and method come before those of the merchant, of the method, and of all', () => {
    const all = override({ usd: usd('2') })
    const ofMethod = override({ minor: 3_000_000n }, { paymentMethodId: 1 })
    const ofMerchant = override({ usd: usd('4') }, { merchantId: 'm' })
    const ofBoth = override({ minor: 5_000_000n }, { merchantId: 'm', paymentMethodId: 1 })
    expect(withdrawOf([all], 1)).toBe(2_000_000n)
    expect(withdrawOf([all, ofMethod], 1)).toBe(3_000_000n)
    expect(withdrawOf([ofMethod, all, ofMerchant], 1)).toBe(4_000_000n)
    expect(withdrawOf([ofMethod, all, ofMerchant, ofBoth], 1)).toBe(5_000_000n)
    expect(withdrawOf([ofMethod, all, ofMerchant, ofBoth], 2)).toBe(4_000_000n)
  })

  it('of one type say nothing about the other', () => {
    const limits = limitsFrom(methods, [override({ usd: usd('7') }, { type: 'collect' })])
    expect([limits.minCollectUsd, limits.minWithdrawUsd]).toEqual([usd('7'), usd('1')])
  })

  it('hold where no method is enabled', () => {
    expect(limitsFrom([], [override({ usd: usd('3') })])).toEqual({
      minCollectUsd: usd('1'),
      minWithdrawUsd: usd('3'),
      methods: [],
    })
  })

  it.each(limitTypes)('ask of a %s invoice what is enough for each method it offers', (type) => {
    const dear = override({ minor: 50_000_000n }, { type, paymentMethodId: 2 })
    const limits = limitsFrom(methods, [dear])
    const other = type === 'collect' ? 'withdraw' : 'collect'
    expect([limits.minCollectUsd, limits.minWithdrawUsd]).toEqual([usd('1'), usd('1')])
    expect(minimumUsdFor(limits, type, [1])).toBe(usd('1'))
    expect(minimumUsdFor(limits, type, [1, 2])).toBe(usd('50'))
    expect(minimumUsdFor(limits, other, [1, 2])).toBe(usd('1'))
  })

  it('head with a figure that no method undercuts, and that one method meets', () => {
    const minimum = fc.bigInt({ min: 0n, max: 10n ** 20n })
    const overrides = fc.array(
      fc.record({
        type: fc.constantFrom(...limitTypes),
        merchantId: fc.constantFrom(undefined, 'm'),
        paymentMethodId: fc.constantFrom(undefined, 1, 2, 3),
        minimum,
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(overrides, (drawn) => {
        const unique = new Map(
          drawn.map((one) => [
            `${one.type}/${one.merchantId}/${one.paymentMethodId}`,
            {
              ...one,
              minimum: one.paymentMethodId === undefined ? { usd: one.minimum } : { minor: one.minimum },
            },
          ]),
        )
        const limits = limitsFrom(methods.slice(0, 3), [...unique.values()])
        const collects = limits.methods.map((one) => one.minCollectUsd)
        expect(collects.every((one) => one >= limits.minCollectUsd)).toBe(true)
        expect(collects).toContain(limits.minCollectUsd)
        for (const { method, minWithdrawMinor } of limits.methods) {
          // `minWithdrawUsd`, converted to the asset, is not above the method's own minimum.
          const headlineMinor = divide(limits.minWithdrawUsd * method.minimumMinor, methodMinimumUsd, 'down')
          expect(headlineMinor <= minWithdrawMinor).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
