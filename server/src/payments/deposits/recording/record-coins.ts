import type { Coin, SpentCoin } from '../../../chains/outputs/output.ts'
import { insertCoins, spendCoins } from '../../../chains/outputs/store.ts'
import { limits } from '../../../core/limits.ts'
import { piecesOf } from '../../../core/pieces.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { BlockDeposits } from './value-deposits.ts'

/**
 * Keeps the coins that blocks bring us and those that they take, on a chain of outpoints.
 * @returns the blocks without what transactions of ours pay to ourselves: whoever spends a coin of ours is us, however many
 * inputs there are beside it, and what comes back of it was booked when it came in
 */
export async function recordCoins(
  tx: Tx,
  network: string,
  blocks: readonly BlockDeposits[],
): Promise<readonly BlockDeposits[]> {
  for (const piece of piecesOf(blocks.flatMap(coinsOf), limits.rowsPerStatement))
    await insertCoins(tx, network, piece)
  const spent = blocks.flatMap(({ block: { height }, spent: own = [] }) =>
    own.map((one): SpentCoin => ({ ...one, height })),
  )
  const ours = new Set<string>()
  for (const some of piecesOf(spent, limits.spentPerLookUp)) {
    for (const txHash of await spendCoins(tx, network, some)) ours.add(txHash)
  }
  if (ours.size === 0) return blocks
  return blocks.map((one) => ({
    ...one,
    deposits: one.deposits.filter(({ transfer: { txHash } }) => !ours.has(txHash)),
  }))
}

function coinsOf({ block: { height }, deposits }: BlockDeposits): readonly Coin[] {
  return deposits.map(({ transfer: { key, txHash, recipient, amountMinor, maturesAfter = 1 } }) => ({
    outpoint: key,
    txHash,
    address: recipient,
    amountMinor,
    height,
    maturesAfter,
  }))
}
