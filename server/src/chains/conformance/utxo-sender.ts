/**
 * The conformance tests for every sender of a UTXO chain, including the fake sender. The test file of each
 * adapter calls `utxoSenderConformance` with its own harness. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfSpentOutputs } from './spent-outputs.ts'
import { promisesOfUtxoBroadcasts } from './utxo-broadcasts.ts'
import type { UtxoSenderHarness } from './utxo-sender-harness.ts'

/** Runs all tests against one shared harness. Each test spends its own UTXOs. */
export function utxoSenderConformance(name: string, makeHarness: () => Promise<UtxoSenderHarness>): void {
  describe(`${name} keeps the promises of the sending port of coins`, () => {
    let made: UtxoSenderHarness | undefined
    beforeAll(async () => {
      made = await makeHarness()
    })
    afterAll(() => made?.close())
    const harness = () => required(made, 'the world')

    describe('broadcasts', () => promisesOfUtxoBroadcasts(harness))
    describe('spent coins', () => promisesOfSpentOutputs(harness))
  })
}
