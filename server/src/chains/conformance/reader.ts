/**
 * The conformance tests for every reader of a chain, including the fake reader. The test file of each adapter
 * calls `conformance` with its own harness. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfBlocks } from './blocks.ts'
import type { ChainHarness } from './harness.ts'
import { promisesOfMempools } from './mempools.ts'
import { promisesOfRollbacks } from './rollbacks.ts'
import { promisesOfTransactionReads } from './transaction-reads.ts'
import { promisesOfInternalTransfers, promisesOfNothing, promisesOfTransfers } from './transfers.ts'

/** Runs all tests against one shared harness. Each test uses new addresses and new blocks. */
export function conformance(name: string, makeHarness: () => Promise<ChainHarness>): void {
  describe(`${name} keeps the promises of the chain port`, () => {
    let made: ChainHarness | undefined
    beforeAll(async () => {
      made = await makeHarness()
    })
    afterAll(() => made?.close())
    const harness = () => required(made, 'the world')

    describe('what moved', () => promisesOfTransfers(harness))
    describe('what contracts move', () => promisesOfInternalTransfers(harness))
    describe('what did not move', () => promisesOfNothing(harness))
    describe('blocks', () => promisesOfBlocks(harness))
    describe('rollbacks', () => promisesOfRollbacks(harness))
    describe('what waits', () => promisesOfMempools(harness))
    describe('transaction reads', () => promisesOfTransactionReads(harness))
  })
}
