/**
 * What every reader of a chain promises, the fake's included: each adapter's test file calls `conformance` with its own
 * world. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfBlocks } from './blocks.ts'
import { promisesOfMempools } from './mempools.ts'
import { promisesOfRollbacks } from './rollbacks.ts'
import { promisesOfSecondLooks } from './second-looks.ts'
import { promisesOfInternalTransfers, promisesOfNothing, promisesOfTransfers } from './transfers.ts'
import type { ChainWorld } from './world.ts'

/** Runs the promises against a world that is made once and shared: each test uses its own addresses and blocks. */
export function conformance(name: string, makeWorld: () => Promise<ChainWorld>): void {
  describe(`${name} keeps the promises of the chain port`, () => {
    let made: ChainWorld | undefined
    beforeAll(async () => {
      made = await makeWorld()
    })
    afterAll(() => made?.close())
    const world = () => required(made, 'the world')

    describe('what moved', () => promisesOfTransfers(world))
    describe('what contracts move', () => promisesOfInternalTransfers(world))
    describe('what did not move', () => promisesOfNothing(world))
    describe('blocks', () => promisesOfBlocks(world))
    describe('rollbacks', () => promisesOfRollbacks(world))
    describe('what waits', () => promisesOfMempools(world))
    describe('second looks', () => promisesOfSecondLooks(world))
  })
}
