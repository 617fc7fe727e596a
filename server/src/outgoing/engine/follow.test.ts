import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stepsBy } from './follow.ts'
import { type Inclusion, mayMove, type PayoutState } from './payout.ts'

const open = ['signed', 'broadcast', 'in_doubt', 'included'] as const
const anyReceipt = fc
  .record({
    txHash: fc.constantFrom('0xa', '0xb'),
    height: fc.integer({ min: 1, max: 9 }),
    blockHash: fc.constantFrom('0x1', '0x2'),
    isSuccess: fc.boolean(),
    feeMinor: fc.bigInt(0n, 9n),
  })
  .map((receipt): Inclusion => receipt)
const anySight = fc.record({
  receipt: fc.option(anyReceipt, { nil: undefined }),
  keepsBlock: fc.boolean(),
  finalHeight: fc.integer({ min: 0, max: 9 }),
})

it('goes only where a payout may go, whatever nodes say', () => {
  fc.assert(
    fc.property(fc.constantFrom(...open, 'final' as const), anyReceipt, anySight, (state, before, sight) => {
      const isIn = state === 'included' || state === 'final'
      const steps = stepsBy({ state, inclusion: isIn ? before : undefined }, sight)
      let at: PayoutState = state
      for (const { to } of steps) {
        expect(mayMove(at, to)).toBe(true)
        at = to
      }
    }),
  )
})

it('E08 is taken back by our own blocks alone: a node that knows no receipt takes nothing back', () => {
  fc.assert(
    fc.property(anyReceipt, fc.integer({ min: 0, max: 9 }), (inclusion, finalHeight) => {
      const payout = { state: 'included' as const, inclusion }
      expect(stepsBy(payout, { receipt: undefined, keepsBlock: true, finalHeight })).toEqual([])
      expect(stepsBy(payout, { receipt: undefined, keepsBlock: false, finalHeight })).toEqual([
        { to: 'broadcast' },
      ])
    }),
  )
})

it('is final only in a block of ours that stays', () => {
  fc.assert(
    fc.property(fc.constantFrom(...open), anyReceipt, anySight, (state, before, sight) => {
      const steps = stepsBy({ state, inclusion: state === 'included' ? before : undefined }, sight)
      const final = steps.at(-1)
      fc.pre(final?.to === 'final')
      expect(sight.receipt).toEqual(final.inclusion)
      expect(final.inclusion.height).toBeLessThanOrEqual(sight.finalHeight)
    }),
  )
})
