import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyQueue,
  nextQueue,
  noQueues,
  type PaymentQueue,
  type PaymentQueues,
  QueueBook,
  queuesAt,
} from './payment-queues.ts'

const asset = 'ethereum/USDT'

/**
 * Simulates rounds for one asset, each round at a new block.
 * @param rounds are the payments that wait in each round, in their order
 * @returns for each round the payment that reserved the asset, or undefined
 */
function play(rounds: readonly (readonly string[])[], roundsMax: number): readonly (string | undefined)[] {
  let queues: PaymentQueues = noQueues
  return rounds.map((waiting, at) => {
    queues = queuesAt(queues, `${at}`, roundsMax)
    const book = new QueueBook(queues, roundsMax)
    for (const id of waiting) book.wait(asset, id, false)
    queues = book.close()
    return queues.outcomes.get(asset)?.reserving
  })
}

describe('queues', () => {
  it('A4 never keep an asset reserved for longer than the bound, and yield as long after it', () => {
    const anyRounds = fc.array(fc.subarray(['a', 'b', 'c', 'd']), { maxLength: 80 })
    fc.assert(
      fc.property(anyRounds, fc.integer({ min: 1, max: 8 }), (rounds, roundsMax) => {
        const reserved = play(rounds, roundsMax).map((id) => id !== undefined)
        for (let at = 0; at < reserved.length; at += 1) {
          const before = reserved.slice(0, at)
          const run = before.length - 1 - before.lastIndexOf(false)
          expect(run).toBeLessThanOrEqual(roundsMax)
          // If the round before `at` was the last one of a reservation, no payment may reserve the asset in the
          // next `roundsMax` rounds.
          if (run > 0 && !reserved[at]) expect(reserved.slice(at, at + roundsMax)).not.toContain(true)
        }
      }),
    )
  })

  it('let one that waits reserve after as many rounds, until it is served or its time is over', () => {
    const waiting = Array.from({ length: 20 }, () => ['large'])
    const open = [undefined, undefined, undefined]
    const reserved = ['large', 'large', 'large']
    const cycle = [...open, ...reserved]
    expect(play(waiting, 3)).toEqual([...cycle, ...cycle, ...cycle, undefined, undefined])
    const served = [...waiting.slice(0, 4), [], ...waiting.slice(0, 5)]
    expect(play(served, 3)).toEqual([...open, 'large', undefined, ...open, 'large', 'large'])
  })

  it('let one reserve at once that needs only what lies in another wallet', () => {
    const book = new QueueBook(noQueues, 3)
    book.wait(asset, 'first', false)
    expect(book.isReserved(asset)).toBe(false)
    book.wait(asset, 'second', true)
    expect(book.isReserved(asset)).toBe(true)
    expect(book.isReserved('ethereum/ETH')).toBe(false)
  })

  it('count one round for each block, however often it is read', () => {
    let queues: PaymentQueues = noQueues
    for (let attempt = 0; attempt < 10; attempt += 1) {
      queues = queuesAt(queues, '0xa', 3)
      const book = new QueueBook(queues, 3)
      book.wait(asset, 'one', false)
      queues = book.close()
    }
    expect(queuesAt(queues, '0xb', 3).byAsset.get(asset)?.waited.get('one')).toBe(1)
  })

  it('forget how long one waited that waits no more', () => {
    const queue: PaymentQueue = { ...emptyQueue, waited: new Map([['a', 7]]) }
    expect(nextQueue(queue, { waiting: ['b'], reserving: undefined }, 3).waited).toEqual(new Map([['b', 1]]))
  })
})
