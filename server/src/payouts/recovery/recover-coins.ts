/** Where money lies in coins: what nodes show to spend them, and nobody here knows. */
import { findKnown } from '../attempt-store.ts'
import type { CoinParts } from '../coins/coin-parts.ts'
import { type HeldCoin, readHeldCoins } from './held-coin-store.ts'
import type { RecoveryWay } from './recovery-way.ts'

/**
 * Bytes that were forgotten are found by the coins that they spend, in blocks and in mempools. Taking them over, and making
 * others invalid, is not done here: an operator first rejects the orders that they paid.
 */
export function recoverCoins(parts: CoinParts): RecoveryWay {
  return {
    wayOut: 'look up what it paid and reject those orders, then let payouts go on',
    findAhead: (_, signal) => findAhead(parts, signal),
    recover: async () => ({ done: 0, waits: [], isOver: true }),
    readTwin: async () => undefined,
  }
}

/** Coins that are asked for at once. */
const askedAtOnce = 16

async function findAhead(parts: CoinParts, signal: AbortSignal): Promise<string | undefined> {
  const { db, network } = parts
  const coins = await readHeldCoins(db, network.name)
  for (let start = 0; start < coins.length; start += askedAtOnce) {
    const some = coins.slice(start, start + askedAtOnce)
    const spenders = await Promise.all(some.map((coin) => findSpender(parts, coin, signal)))
    const known = await findKnown(
      db,
      network.name,
      spenders.flatMap((spender) => spender ?? []),
    )
    for (const [index, { outpoint }] of some.entries()) {
      const spender = spenders[index]
      if (spender === undefined || known.has(spender)) continue
      return `${spender} on ${network.name} spends the coin ${outpoint} and is in neither the database nor the signer's log`
    }
  }
  return undefined
}

/** In a mempool, or in a block that our own list does not have yet. */
async function findSpender(
  { sender }: CoinParts,
  { outpoint, height }: HeldCoin,
  signal: AbortSignal,
): Promise<string | undefined> {
  const waiting = await sender.findWaitingSpender(outpoint, signal)
  if (waiting !== undefined) return waiting
  return (await sender.findSpent(outpoint, { from: height, to: Number.MAX_SAFE_INTEGER }, signal))?.txHash
}
