import type { UtxoSender } from '../../../chains/utxo/utxo-port.ts'

/** The number of UTXOs for which nodes are asked in parallel. */
const askedAtOnce = 16

/**
 * Returns the transactions in mempools that spend the given UTXOs, keyed by outpoint.
 * @throws NodeError if a node does not answer
 */
export async function findWaitingSpenders(
  sender: UtxoSender,
  utxos: readonly { readonly outpoint: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (let start = 0; start < utxos.length; start += askedAtOnce) {
    const some = utxos.slice(start, start + askedAtOnce)
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
