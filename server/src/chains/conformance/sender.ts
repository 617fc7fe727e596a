/**
 * What every sender to a chain promises, the fake's included: each adapter's test file calls `senderConformance` with its
 * own world. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfBroadcasts } from './broadcasts.ts'
import { promisesOfEstimates } from './estimates.ts'
import { promisesOfGatherings } from './gatherings.ts'
import { promisesOfReceipts } from './receipts.ts'
import type { SenderWorld } from './sender-world.ts'

/** Runs the promises against a world that is made once and shared: each test uses its own wallets. */
export function senderConformance(name: string, makeWorld: () => Promise<SenderWorld>): void {
  describe(`${name} keeps the promises of the sending port`, () => {
    let made: SenderWorld | undefined
    beforeAll(async () => {
      made = await makeWorld()
    })
    afterAll(() => made?.close())
    const world = () => required(made, 'the world')

    describe('broadcasts', () => promisesOfBroadcasts(world))
    describe('receipts', () => promisesOfReceipts(world))
    describe('estimates', () => promisesOfEstimates(world))
    describe('gatherings', () => promisesOfGatherings(world))
  })
}
