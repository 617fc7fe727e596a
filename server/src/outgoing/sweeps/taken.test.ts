import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sum } from '../../core/money.ts'
import { matchTaken, type SweptDeposit, type Taken } from './taken.ts'

const asset = 'ethereum/USDT'
const deposit = (depositId: string, amountMinor: bigint, over: Partial<SweptDeposit> = {}) => ({
  depositId,
  addressId: 1,
  asset,
  amountMinor,
  isThere: true,
  isMarked: true,
  ...over,
})
const took = (amountMinor: bigint, addressId = 1): Taken => ({ addressId, asset, amountMinor })

describe('what a sweep has taken', () => {
  it('is the first deposits of each address, those that came while it was under way too', () => {
    const late = deposit('b', 5n, { isMarked: false })
    expect(matchTaken([deposit('a', 10n), late], [took(15n)])).toMatchObject({
      takenIds: ['a', 'b'],
      leftIds: [],
      retries: [],
    })
    expect(matchTaken([deposit('a', 10n), late], [took(10n)])).toMatchObject({ takenIds: ['a'], leftIds: [] })
  })

  it('is nothing of an address that failed, which is set back', () => {
    const other = deposit('b', 7n, { addressId: 2 })
    expect(matchTaken([deposit('a', 10n), other], [took(7n, 2)])).toEqual({
      takenIds: ['b'],
      leftIds: ['a'],
      retries: [{ addressId: 1, asset }],
    })
  })

  it('is nothing that its chain has taken back, which is no fault of the address', () => {
    expect(matchTaken([deposit('a', 10n, { isThere: false })], [])).toEqual({
      takenIds: [],
      leftIds: ['a'],
      retries: [],
    })
  })

  it('is never more than what left the address, and no deposit is reported twice', () => {
    const drawn = fc.array(
      fc.record({
        addressId: fc.integer({ min: 1, max: 3 }),
        amountMinor: fc.bigInt({ min: 1n, max: 20n }),
        isThere: fc.boolean(),
        isMarked: fc.boolean(),
      }),
      { maxLength: 12 },
    )
    const taken = fc.uniqueArray(
      fc.record({
        addressId: fc.integer({ min: 1, max: 3 }),
        amountMinor: fc.bigInt({ min: 1n, max: 60n }),
      }),
      { selector: ({ addressId }) => addressId },
    )
    fc.assert(
      fc.property(drawn, taken, (lying, left) => {
        const deposits = lying.map((one, index) => deposit(`${index}`, one.amountMinor, one))
        const { takenIds, leftIds } = matchTaken(
          deposits,
          left.map((one) => ({ ...one, asset })),
        )
        expect(new Set([...takenIds, ...leftIds]).size).toBe(takenIds.length + leftIds.length)
        for (const addressId of [1, 2, 3]) {
          const own = deposits.filter((one) => one.addressId === addressId)
          const ids = new Set(takenIds)
          const matched = own.filter(({ depositId }) => ids.has(depositId))
          const leftMinor = left.find((one) => one.addressId === addressId)?.amountMinor ?? 0n
          expect(sum(matched.map(({ amountMinor }) => amountMinor)) <= leftMinor).toBe(true)
          expect(matched.every(({ isThere }) => isThere)).toBe(true)
          for (const one of own) {
            const isKnown = ids.has(one.depositId) || leftIds.includes(one.depositId)
            if (one.isMarked) expect(isKnown).toBe(true)
          }
        }
      }),
    )
  })
})
