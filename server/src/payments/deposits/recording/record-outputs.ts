import type { OwnOutput, SpentOutput } from '../../../chains/outputs/output.ts'
import { insertOwnOutputs, markSpent } from '../../../chains/outputs/store.ts'
import { chunksOf } from '../../../core/chunks.ts'
import { limits } from '../../../core/limits.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { BlockDeposits } from './value-deposits.ts'

/**
 * Stores the outputs of blocks that pay our addresses, and marks our outputs that the blocks spend.
 * @returns the blocks without the deposits of our own transactions. A transaction is ours if it spends one of
 * our UTXOs, whatever its other inputs are. Its outputs to us bring no new money: the spent UTXOs were
 * already booked.
 */
export async function recordOutputs(
  tx: Tx,
  network: string,
  blocks: readonly BlockDeposits[],
): Promise<readonly BlockDeposits[]> {
  for (const chunk of chunksOf(blocks.flatMap(outputsOf), limits.rowsPerStatement))
    await insertOwnOutputs(tx, network, chunk)
  const spent = blocks.flatMap(({ block: { height }, spent: own = [] }) =>
    own.map((one): SpentOutput => ({ ...one, height })),
  )
  const ownScripts = new Set<string>()
  for (const some of chunksOf(spent, limits.spentPerLookUp)) {
    for (const txHash of await markSpent(tx, network, some)) ownScripts.add(txHash)
  }
  if (ownScripts.size === 0) return blocks
  return blocks.map((one) => ({
    ...one,
    deposits: one.deposits.filter(({ transfer: { txHash } }) => !ownScripts.has(txHash)),
  }))
}

function outputsOf({ block: { height }, deposits }: BlockDeposits): readonly OwnOutput[] {
  return deposits.map(({ transfer: { key, txHash, recipient, amountMinor, maturesAfter = 1 } }) => ({
    outpoint: key,
    txHash,
    address: recipient,
    amountMinor,
    height,
    maturesAfter,
  }))
}
