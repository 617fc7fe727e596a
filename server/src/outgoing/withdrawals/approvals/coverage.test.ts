import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sum } from '../../../core/money.ts'
import { coveredBy } from './coverage.ts'

const minor = fc.bigInt({ min: 0n, max: 10n ** 24n })
const purses = fc.record({ bookedMinor: minor, unfinalMinor: minor, stuckMinor: minor, promisedMinor: minor })
const queues = fc
  .array(fc.bigInt({ min: 1n, max: 10n ** 23n }), { maxLength: 20 })
  .map((amounts) => amounts.map((amountMinor, index) => ({ index, amountMinor })))

describe('coveredBy', () => {
  it('never lets more go than is final and not promised', () => {
    fc.assert(
      fc.property(purses, queues, (purse, queue) => {
        const goneMinor = sum(coveredBy(purse, queue).map(({ amountMinor }) => amountMinor))
        if (goneMinor === 0n) return
        expect(
          goneMinor + purse.promisedMinor + purse.unfinalMinor + purse.stuckMinor <= purse.bookedMinor,
        ).toBe(true)
      }),
    )
  })

  it('keeps the order of asking, and stops only where the next is not covered', () => {
    fc.assert(
      fc.property(purses, queues, (purse, queue) => {
        const covered = coveredBy(purse, queue)
        expect(covered).toEqual(queue.slice(0, covered.length))
        const next = queue[covered.length]
        if (next === undefined) return
        const neededMinor = sum([...covered, next].map(({ amountMinor }) => amountMinor))
        expect(
          neededMinor > purse.bookedMinor - purse.unfinalMinor - purse.stuckMinor - purse.promisedMinor,
        ).toBe(true)
      }),
    )
  })

  it('covers the same when some of what it covered is promised meanwhile', () => {
    fc.assert(
      fc.property(purses, queues, fc.nat(20), (purse, queue, count) => {
        const covered = coveredBy(purse, queue)
        const promised = covered.slice(0, count)
        const promisedMinor = purse.promisedMinor + sum(promised.map(({ amountMinor }) => amountMinor))
        const rest = coveredBy({ ...purse, promisedMinor }, queue.slice(promised.length))
        expect([...promised, ...rest]).toEqual(covered)
      }),
    )
  })

  it.each(['unfinalMinor', 'stuckMinor'])('lets nothing go of credits that are %s', (kind) => {
    const queue = [{ amountMinor: 5n }, { amountMinor: 1n }]
    const purse = { bookedMinor: 10n, unfinalMinor: 0n, stuckMinor: 0n, promisedMinor: 0n }
    expect(coveredBy({ ...purse, [kind]: 10n }, queue)).toEqual([])
    expect(coveredBy({ ...purse, [kind]: 4n }, queue)).toEqual(queue)
    expect(coveredBy({ ...purse, [kind]: 4n, promisedMinor: 2n }, queue)).toEqual([])
  })
})
