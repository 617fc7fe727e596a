import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sum } from '../../core/money.ts'
import { divideExcess, excessOf } from './excess.ts'

const nothing = { bookedMinor: 0n, ownMinor: 0n, sweptMinor: 0n, feesMinor: 0n }

describe('the excess of an address', () => {
  it.each([
    ['what was never booked', 5n, 0n, nothing, 5n],
    ['nothing if all is booked', 5n, 0n, { ...nothing, bookedMinor: 5n }, 0n],
    [
      'nothing of what a sweep took and the books contain',
      0n,
      0n,
      { ...nothing, bookedMinor: 5n, sweptMinor: 5n },
      0n,
    ],
    ['what a sweep took beyond the books', 0n, 0n, { ...nothing, bookedMinor: 5n, sweptMinor: 7n }, 2n],
    ['nothing of a top-up', 3n, 0n, { ...nothing, ownMinor: 5n, feesMinor: 2n }, 0n],
    ['nothing of what was there before the first block', 5n, 5n, nothing, 0n],
    ['nothing if less is there', 3n, 0n, { ...nothing, bookedMinor: 5n }, 0n],
  ])('is %s', (_, balanceMinor, beforeMinor, books, expected) => {
    expect(excessOf(balanceMinor, beforeMinor, books)).toBe(expected)
  })

  it('is what came unseen, whatever came seen, was swept and was spent', () => {
    const amount = fc.bigInt(0n, 1_000n)
    const parts = {
      before: amount,
      booked: amount,
      own: amount,
      unseen: amount,
      share: fc.nat(100),
      fee: amount,
    }
    fc.assert(
      fc.property(fc.record(parts), ({ before, booked, own, unseen, share, fee }) => {
        const heldMinor = before + booked + own + unseen
        const feesMinor = fee > heldMinor ? heldMinor : fee
        const sweptMinor = ((heldMinor - feesMinor) * BigInt(share)) / 100n
        const balanceMinor = heldMinor - feesMinor - sweptMinor
        const books = { bookedMinor: booked, ownMinor: own, sweptMinor, feesMinor }
        expect(excessOf(balanceMinor, before, books)).toBe(unseen)
        const after = { ...books, bookedMinor: booked + unseen }
        expect(excessOf(balanceMinor, before, after), 'once it is booked').toBe(0n)
      }),
    )
  })
})

describe('the amounts to book', () => {
  const surplus = (sweepId: string, height: number, surplusMinor: bigint, excessMinor: bigint) => ({
    sweepId,
    height,
    surplusMinor,
    excessMinor,
  })

  it('are at the block of the sweep that took them, and the rest at the block of the pass', () => {
    expect(divideExcess([surplus('s', 5, 3n, 3n)], { height: 9, excessMinor: 7n })).toEqual([
      { height: 5, amountMinor: 3n, sweepId: 's' },
      { height: 9, amountMinor: 4n, sweepId: undefined },
    ])
  })

  it('are none for a surplus that was booked meanwhile', () => {
    expect(divideExcess([surplus('s', 5, 3n, 0n)], { height: 9, excessMinor: 0n })).toEqual([])
  })

  it('add up to the excess, and each is above zero', () => {
    const sweep = fc.record({ surplusMinor: fc.bigInt(0n, 50n), grownMinor: fc.bigInt(0n, 50n) })
    fc.assert(
      fc.property(fc.array(sweep, { maxLength: 4 }), fc.bigInt(0n, 50n), (sweeps, grownMinor) => {
        let excessMinor = 0n
        const surpluses = sweeps.map((one, index) => {
          excessMinor += one.grownMinor
          return surplus(`${index}`, index, one.surplusMinor, excessMinor)
        })
        const last = { height: 9, excessMinor: excessMinor + grownMinor }
        const found = divideExcess(surpluses, last)
        expect(sum(found.map(({ amountMinor }) => amountMinor))).toBe(last.excessMinor)
        for (const { amountMinor } of found) expect(amountMinor > 0n).toBe(true)
      }),
    )
  })
})
