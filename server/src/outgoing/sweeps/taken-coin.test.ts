import fc from 'fast-check'
import { expect, it } from 'vitest'
import { takenCoin } from './taken-coin.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 21n })

it.each([
  ['a plain sweep', 10n, 0n, 0n, 0n, 10n],
  ['coin of a contract after the sweep', 10n, 1n, 0n, 0n, 10n],
  ['a payment before the sweep', 10n, 0n, 5n, 0n, 15n],
  ['a payment after the sweep', 10n, 5n, 0n, 5n, 10n],
  ['payments before and after, and coin of a contract after', 10n, 6n, 3n, 5n, 13n],
  ['a call that failed', 10n, 10n, 0n, 0n, 0n],
  ['a call that failed, and a payment after it', 10n, 15n, 0n, 5n, 0n],
  ['an empty address', 0n, 3n, 0n, 3n, 0n],
] as const)('%s', (_, beforeMinor, afterMinor, earlierMinor, laterMinor, takenMinor) => {
  expect(takenCoin({ beforeMinor, afterMinor, earlierMinor, laterMinor })).toBe(takenMinor)
})

it('is all that was held, whatever less comes unseen after the sweep, and nothing if the call failed', () => {
  fc.assert(
    fc.property(amount, amount, amount, amount, (beforeMinor, earlierMinor, laterMinor, unseenMinor) => {
      const heldMinor = beforeMinor + earlierMinor
      const known = { beforeMinor, earlierMinor, laterMinor }
      const swept = takenCoin({ ...known, afterMinor: laterMinor + unseenMinor })
      expect(swept).toBe(unseenMinor < heldMinor ? heldMinor : 0n)
      expect(takenCoin({ ...known, afterMinor: heldMinor + laterMinor + unseenMinor })).toBe(0n)
    }),
  )
})

it('never invents coin: what is left and what was taken are at most what came', () => {
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      amount,
      fc.boolean(),
      (beforeMinor, earlierMinor, laterMinor, unseenMinor, isTaken) => {
        const heldMinor = beforeMinor + earlierMinor
        const afterMinor = laterMinor + unseenMinor + (isTaken ? 0n : heldMinor)
        const takenMinor = takenCoin({ beforeMinor, earlierMinor, laterMinor, afterMinor })
        expect(afterMinor + takenMinor).toBeLessThanOrEqual(heldMinor + laterMinor + unseenMinor)
      },
    ),
  )
})
