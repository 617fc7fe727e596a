import type { StoredOutgoingTransaction } from '../engine/store.ts'
import { readTakenInputs, type TakenInput } from './spent-store.ts'
import type { UtxoParts } from './utxo-parts.ts'

/**
 * Returns, for each outgoing transaction that can never be mined, a UTXO that it cannot spend. The UTXO may be
 * an input of an unconfirmed transaction whose change the outgoing transaction spends. Another
 * transaction spent the UTXO, or the UTXO never came to exist because a deposit was replaced. A spend counts
 * only if it is in a booked block and the nodes confirm it when they are asked for that block again. The
 * result is undefined for each transaction that can still be mined.
 */
export async function findTaken(
  { db, network, sender }: UtxoParts,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  height: number,
  signal: AbortSignal,
): Promise<readonly (TakenInput | undefined)[]> {
  const ids = outgoingTransactions.map(({ id }) => id)
  const taken = new Map(
    (await readTakenInputs(db, network.name, ids, height)).map((one) => [one.outgoingTransactionId, one]),
  )
  const isShown = async ({ outpoint, txHash, height: at, isUnmade }: TakenInput) =>
    isUnmade || (await sender.findSpent(outpoint, { from: at, to: at }, signal))?.txHash === txHash
  return Promise.all(
    ids.map(async (id) => {
      const one = taken.get(id)
      return one !== undefined && (await isShown(one)) ? one : undefined
    }),
  )
}
