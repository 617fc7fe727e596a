/**
 * What every sender to a chain of coins promises, the fake's included: each adapter's test file calls `coinSenderConformance`
 * with its own world. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { required } from '../../core/assert.ts'
import { promisesOfCoinBroadcasts } from './coin-broadcasts.ts'
import type { CoinSenderWorld } from './coin-sender-world.ts'
import { promisesOfSpentCoins } from './spent-coins.ts'

/** Runs the promises against a world that is made once and shared: each test spends its own coins. */
export function coinSenderConformance(name: string, makeWorld: () => Promise<CoinSenderWorld>): void {
  describe(`${name} keeps the promises of the sending port of coins`, () => {
    let made: CoinSenderWorld | undefined
    beforeAll(async () => {
      made = await makeWorld()
    })
    afterAll(() => made?.close())
    const world = () => required(made, 'the world')

    describe('broadcasts', () => promisesOfCoinBroadcasts(world))
    describe('spent coins', () => promisesOfSpentCoins(world))
  })
}
