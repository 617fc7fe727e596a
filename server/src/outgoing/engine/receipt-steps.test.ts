import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Inclusion, mayMove, type OutgoingTransactionState } from './outgoing-transaction.ts'
import { stepsBy } from './receipt-steps.ts'

const open = ['signed', 'broadcast', 'needs_recheck', 'included'] as const
const anyReceipt = fc
  .record({
    txHash: fc.constantFrom('0xa', '0xb'),
    height: fc.integer({ min: 1, max: 9 }),
    blockHash: fc.constantFrom('0x1', '0x2'),
    isSuccess: fc.boolean(),
    feeMinor: fc.bigInt(0n, 9n),
  })
  .map((receipt): Inclusion => receipt)
const anyObservation = fc.record({
  receipt: fc.option(anyReceipt, { nil: undefined }),
  isBlockCanonical: fc.boolean(),
  finalHeight: fc.integer({ min: 0, max: 9 }),
})

it('goes only where a transaction may go, whatever nodes say', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...open, 'final' as const),
      anyReceipt,
      anyObservation,
      (state, before, observation) => {
        const isIn = state === 'included' || state === 'final'
        const steps = stepsBy({ state, inclusion: isIn ? before : undefined }, observation)
        let at: OutgoingTransactionState = state
        for (const { to } of steps) {
          expect(mayMove(at, to)).toBe(true)
          at = to
        }
      },
    ),
  )
})

it('E08 is taken back by our own blocks alone: a node that knows no receipt takes nothing back', () => {
  fc.assert(
    fc.property(anyReceipt, fc.integer({ min: 0, max: 9 }), (inclusion, finalHeight) => {
      const outgoingTransaction = { state: 'included' as const, inclusion }
      expect(
        stepsBy(outgoingTransaction, { receipt: undefined, isBlockCanonical: true, finalHeight }),
      ).toEqual([])
      expect(
        stepsBy(outgoingTransaction, { receipt: undefined, isBlockCanonical: false, finalHeight }),
      ).toEqual([{ to: 'broadcast' }])
    }),
  )
})

it('is final only in a block of ours that stays', () => {
  fc.assert(
    fc.property(fc.constantFrom(...open), anyReceipt, anyObservation, (state, before, observation) => {
      const steps = stepsBy({ state, inclusion: state === 'included' ? before : undefined }, observation)
      const final = steps.at(-1)
      fc.pre(final?.to === 'final')
      expect(observation.receipt).toEqual(final.inclusion)
      expect(final.inclusion.height).toBeLessThanOrEqual(observation.finalHeight)
    }),
  )
})
