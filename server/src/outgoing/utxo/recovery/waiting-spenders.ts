import type { CoinSender } from '../../../chains/utxo/coin-port.ts'

/** Coins that are asked for at once. */
const askedAtOnce = 16

/** What waits in mempools, by the outpoints of the coins that it spends. @throws NodeError */
export async function findWaitingSpenders(
  sender: CoinSender,
  coins: readonly { readonly outpoint: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (let start = 0; start < coins.length; start += askedAtOnce) {
    const some = coins.slice(start, start + askedAtOnce)
    const spenders = await Promise.all(
      some.map(({ outpoint }) => sender.findWaitingSpender(outpoint, signal)),
    )
    for (const [index, { outpoint }] of some.entries()) {
      const spender = spenders[index]
      if (spender !== undefined) found.set(outpoint, spender)
    }
  }
  return found
}
