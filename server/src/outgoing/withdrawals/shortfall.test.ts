import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sum } from '../../core/money.ts'
import { coverShortfall } from './shortfall.ts'

const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })
const orders = fc
  .array(amount, { maxLength: 20 })
  .map((amounts) => amounts.map((amountMinor, index) => ({ id: String(index), amountMinor })))

describe('coverShortfall', () => {
  it('covers the whole of it, by what returns and what is owed', () => {
    fc.assert(
      fc.property(amount, orders, (shortMinor, newestFirst) => {
        const { cancelled, owedMinor } = coverShortfall(shortMinor, newestFirst)
        const returnedMinor = sum(cancelled.map(({ amountMinor }) => amountMinor))
        expect(returnedMinor + owedMinor >= shortMinor).toBe(true)
        if (owedMinor > 0n) {
          expect(returnedMinor + owedMinor).toBe(shortMinor)
          expect(cancelled).toEqual(newestFirst)
        }
      }),
    )
  })

  it('cancels from the newest on, and none that is not needed', () => {
    fc.assert(
      fc.property(amount, orders, (shortMinor, newestFirst) => {
        const { cancelled } = coverShortfall(shortMinor, newestFirst)
        expect(cancelled).toEqual(newestFirst.slice(0, cancelled.length))
        const withoutLast = sum(cancelled.slice(0, -1).map(({ amountMinor }) => amountMinor))
        if (cancelled.length > 0) expect(withoutLast < shortMinor).toBe(true)
      }),
    )
  })

  it('stops as soon as nothing is missing', () => {
    const newestFirst = [10n, 5n].map((amountMinor) => ({ id: String(amountMinor), amountMinor }))
    const [newest] = newestFirst
    expect(coverShortfall(10n, newestFirst)).toEqual({ cancelled: [newest], owedMinor: 0n })
  })
})
