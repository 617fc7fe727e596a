/**
 * The conformance tests for every sender of an account-based chain, including the fake sender. The test file
 * of each adapter calls `senderConformance` with its own harness. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfBatchSweeps } from './batch-sweeps.ts'
import { promisesOfBroadcasts } from './broadcasts.ts'
import { promisesOfEstimates } from './estimates.ts'
import { promisesOfReceipts } from './receipts.ts'
import type { SenderHarness } from './sender-harness.ts'

/** Runs all tests against one shared harness. Each test uses its own wallets. */
export function senderConformance(name: string, makeHarness: () => Promise<SenderHarness>): void {
  describe(`${name} keeps the promises of the sending port`, () => {
    let made: SenderHarness | undefined
    beforeAll(async () => {
      made = await makeHarness()
    })
    afterAll(() => made?.close())
    const harness = () => required(made, 'the world')

    describe('broadcasts', () => promisesOfBroadcasts(harness))
    describe('receipts', () => promisesOfReceipts(harness))
    describe('estimates', () => promisesOfEstimates(harness))
    describe('batch sweeps', () => promisesOfBatchSweeps(harness))
  })
}
