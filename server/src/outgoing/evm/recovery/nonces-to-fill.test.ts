import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextNonces } from '../choose-wallets.ts'
import { noncesToFill, targetNonce } from './nonces-to-fill.ts'

/**
 * A random history of a hot wallet. In each step, a transaction is signed if there is room, a nonce is freed,
 * or a block mines some transactions.
 */
const moves = fc.array(
  fc.oneof(
    fc.constant('sign' as const),
    fc.constant('drop' as const),
    fc.nat(8).map((mined) => ({ mined })),
  ),
  { maxLength: 120 },
)

it('whatever a hot wallet signed and forgot is below the target, and is mined or filled in the end', () => {
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 16 }), fc.nat(16), (played, inFlightMax, takenBack) => {
      let count = 0
      const open = new Set<number>()
      const signed = new Set<number>()
      for (const move of played) {
        if (move === 'sign') {
          const [nonce = 0] = nextNonces(count, open, 1)
          if (open.size < inFlightMax) for (const set of [open, signed]) set.add(nonce)
        } else if (move === 'drop') {
          open.delete(Math.max(...open))
        } else {
          for (let left = move.mined; left > 0 && open.has(count); left -= 1) open.delete(count++)
        }
      }
      // A reorganisation undoes some of the mined transactions. The restored database knows neither the mined
      // transactions nor the signed ones.
      const shown = Math.max(0, count - Math.min(takenBack, inFlightMax))
      const target = targetNonce([shown], inFlightMax)
      for (const nonce of signed) expect(nonce).toBeLessThan(target)
      const used = new Set<number>()
      for (let latest = shown; latest < target; latest += 1) {
        const filled = noncesToFill(latest, target, used, inFlightMax)
        for (const nonce of filled) used.add(nonce)
        expect(used.has(latest)).toBe(true)
        expect([...used].filter((nonce) => nonce >= latest).length).toBeLessThanOrEqual(inFlightMax)
      }
      expect(used.size).toBe(target - shown)
    }),
  )
})
