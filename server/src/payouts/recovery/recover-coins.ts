import type { CoinParts } from '../coins/coin-parts.ts'
import type { RecoveryWay } from './recovery-way.ts'

export function recoverCoins(_: CoinParts): RecoveryWay {
  return {
    findAhead: async () => undefined,
    recover: async () => ({ done: 0, waits: [], isOver: true }),
    readTwin: async () => undefined,
  }
}
