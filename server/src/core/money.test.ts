import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide, formatDecimal, parseDecimal, roundToDecimals } from './money.ts'

const amount = fc.bigInt(0n, 10n ** 40n)
const decimals = fc.integer({ min: 0, max: 30 })

describe('a decimal', () => {
  it('comes back from its text exactly, whatever the size and places', () => {
    fc.assert(
      fc.property(amount, decimals, (value, digits) => {
        expect(parseDecimal(formatDecimal(value, digits), digits)).toBe(value)
      }),
    )
  })

  it('is written without trailing zeros and with its sign', () => {
    expect(formatDecimal(1_500_000n, 6)).toBe('1.5')
    expect(formatDecimal(-1n, 6)).toBe('-0.000001')
    expect(formatDecimal(0n, 18)).toBe('0')
    expect(formatDecimal(12n, 0)).toBe('12')
  })

  it('is nothing but plain digits with an optional fraction', () => {
    for (const text of [
      '1e5',
      ' 1',
      '+1',
      '-1',
      '٣',
      '0x1',
      '1.',
      '.5',
      'NaN',
      '-0',
      '1,0',
      '',
      '01',
      '1.2.3',
    ]) {
      expect(parseDecimal(text, 8), JSON.stringify(text)).toBeUndefined()
    }
  })

  it('with more places than there are is refused, not rounded', () => {
    expect(parseDecimal('0.123456', 6)).toBe(123_456n)
    expect(parseDecimal('0.1234567', 6)).toBeUndefined()
    expect(parseDecimal('0.1000000', 6)).toBeUndefined()
  })
})

describe('a division', () => {
  it('rounds the way it is named and by less than one', () => {
    fc.assert(
      fc.property(amount, fc.bigInt(1n, 10n ** 20n), (numerator, denominator) => {
        const down = divide(numerator, denominator, 'down')
        const up = divide(numerator, denominator, 'up')
        expect(down * denominator <= numerator && numerator <= up * denominator).toBe(true)
        expect(up - down <= 1n).toBe(true)
      }),
    )
  })

  it('refuses what is no count', () => {
    expect(() => divide(1n, 0n, 'up')).toThrow()
    expect(() => divide(-1n, 2n, 'up')).toThrow()
  })
})

describe('rounding to places', () => {
  it('gives a multiple of the step, on the named side, by less than one step', () => {
    fc.assert(
      fc.property(amount, decimals, decimals, (value, ofAsset, digits) => {
        const step = 10n ** BigInt(Math.max(0, ofAsset - digits))
        const down = roundToDecimals(value, ofAsset, digits, 'down')
        const up = roundToDecimals(value, ofAsset, digits, 'up')
        expect([down % step, up % step]).toEqual([0n, 0n])
        expect(down <= value && value <= up && up - down <= step).toBe(true)
      }),
    )
  })
})
