import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal } from '../../core/money.ts'
import { agree, fullAmountMinor, median, type Reading } from './rate.ts'

function usd(text: string): bigint {
  return decimal(text, 12)
}

function readings(...prices: readonly string[]): readonly Reading[] {
  return prices.map((price, index) => ({ source: `source-${index}`, priceUsd: usd(price) }))
}

const threeMustAgree = { agreeingMin: 3, previousUsd: undefined }

describe('agree', () => {
  it('takes the median of the sources that agree and names them', () => {
    const agreement = agree(readings('60000', '60010', '60020', '60030'), threeMustAgree)
    expect(agreement).toEqual({
      type: 'agreed',
      priceUsd: usd('60015'),
      sources: readings('60000', '60010', '60020', '60030'),
    })
  })

  it('leaves out a source that is far off, high or low', () => {
    for (const odd of ['600000', '6000', '61500']) {
      const agreement = agree(readings('60000', '60001', '60002', odd), threeMustAgree)
      expect(agreement).toMatchObject({ type: 'agreed', priceUsd: usd('60001') })
    }
  })

  it.each([
    ['two sources of the needed three', ['1', '1']],
    ['no source at all', []],
    ['zero from one of three', ['1', '1', '0']],
    ['zero from all', ['0', '0', '0']],
    ['three sources of which two agree', ['60000', '60001', '90000']],
    ['sources that contradict each other', ['60000', '90000', '120000', '150000']],
    ['two camps of two', ['1', '1', '2', '2']],
  ])('gives no price for %s', (_what, prices) => {
    expect(agree(readings(...prices), threeMustAgree).type).toBe('refused')
  })

  it.each([
    ['10x up', '600000'],
    ['10x down', '6000'],
  ])('gives no price that jumped %s from the last one, even when all sources say so', (_what, price) => {
    const rules = { agreeingMin: 3, previousUsd: usd('60000') }
    expect(agree(readings(price, price, price, price), rules).type).toBe('refused')
  })

  it('follows a market that falls by half', () => {
    const rules = { agreeingMin: 3, previousUsd: usd('60000') }
    expect(agree(readings('30000', '30000', '30000'), rules)).toMatchObject({ priceUsd: usd('30000') })
  })
})

describe('median', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 18n })

  it('has as many readings above as below, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 9 }), (prices) => {
        const middle = median(prices.map((priceUsd) => ({ source: 'x', priceUsd })))
        expect(prices.filter((one) => one <= middle).length * 2 >= prices.length).toBe(true)
        expect(prices.filter((one) => one >= middle).length * 2 >= prices.length).toBe(true)
      }),
    )
  })
})

describe('fullAmountMinor', () => {
  const runs = { numRuns: 20_000 }
  // The amounts are from 10^-8 to 100,000 USD, because merchants may send amounts below one cent.
  const amount = fc.bigInt({ min: 1n, max: 10n ** 13n })
  const price = fc.bigInt({ min: 10n ** 4n, max: 10n ** 18n })
  const decimals = fc.integer({ min: 0, max: 18 })

  it('C09 is worth at least the amount, less than one payable step more, and never 0', () => {
    fc.assert(
      fc.property(amount, price, decimals, (amountUsd, priceUsd, digits) => {
        const minor = fullAmountMinor(amountUsd, priceUsd, digits)
        const exact = amountUsd * 10n ** BigInt(4 + digits)
        const step = 10n ** BigInt(Math.max(0, digits - 6))
        expect(minor > 0n && minor % step === 0n).toBe(true)
        expect(minor * priceUsd >= exact && (minor - step) * priceUsd < exact).toBe(true)
      }),
      runs,
    )
  })

  it.each([
    ['100', '1', 6, '100'],
    ['10', '3', 18, '3.333334'],
    ['0.01', '60000', 8, '0.000001'],
    ['100000', '2500', 18, '40'],
    ['1', '0.1', 8, '10'],
  ])('%s USD at %s USD is, with %i places, %s', (amountUsd, priceUsd, digits, expected) => {
    expect(fullAmountMinor(decimal(amountUsd, 8), usd(priceUsd), digits)).toBe(decimal(expected, digits))
  })
})
