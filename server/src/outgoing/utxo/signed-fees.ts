/**
 * Computes the fees of signed transactions. Their bytes contain neither the fee nor the amounts of the
 * inputs.
 */
import type { TransactionReceipt } from '../../chains/port.ts'
import type { UtxoTransaction } from '../../chains/utxo/utxo-port.ts'
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { UtxoFees } from '../engine/outgoing-transaction.ts'
import { feesOf, type OutgoingTransactionInput, totalOf } from './shape.ts'
import { readMinedAttempts } from './spent-store.ts'
import type { UtxoParts } from './utxo-parts.ts'
import { readInputs } from './utxo-store.ts'

/** Returns the fees of a transaction that was signed for an outgoing transaction. */
export async function readSignedFees(
  parts: UtxoParts,
  on: Queryable,
  outgoingTransactionId: string,
  { txHash, raw }: { readonly txHash: string; readonly raw: string },
): Promise<UtxoFees> {
  const inputs = (await readInputs(on, [outgoingTransactionId])).get(outgoingTransactionId) ?? []
  const transaction = parts.drafts.readRaw(txHash, raw)
  return feesOfBytes(parts, transaction, feeOfBytes(transaction, inputs))
}

/**
 * Returns receipts for transactions of ours, in the order of the hashes. The receipt is undefined for a
 * transaction that is not in a booked block.
 */
export async function readOwnReceipts(
  { db, network, drafts }: UtxoParts,
  txHashes: readonly string[],
): Promise<readonly (TransactionReceipt | undefined)[]> {
  const mined = await readMinedAttempts(db, network.name, txHashes)
  if (mined.length === 0) return txHashes.map(() => undefined)
  const ids = mined.map(({ outgoingTransactionId }) => outgoingTransactionId)
  const inputs = await readInputs(db, [...new Set(ids)])
  const receipts = new Map(
    mined.map(({ outgoingTransactionId, txHash, raw, height, blockHash }) => {
      const own = inputs.get(outgoingTransactionId) ?? []
      const feeMinor = feeOfBytes(drafts.readRaw(txHash, raw), own)
      return [txHash, { txHash, height, blockHash, isSuccess: true, feeMinor }]
    }),
  )
  return txHashes.map((txHash) => receipts.get(txHash))
}

/** Returns the fee: the amount that the inputs hold beyond the outputs. */
function feeOfBytes(
  { outpoints, outputs }: UtxoTransaction,
  inputs: readonly OutgoingTransactionInput[],
): bigint {
  const amounts = new Map(inputs.map(({ outpoint, amountMinor }) => [outpoint, amountMinor]))
  return (
    sum(outpoints.map((outpoint) => required(amounts.get(outpoint), `the amount of ${outpoint}`))) -
    totalOf(outputs)
  )
}

/** Returns the fees of a transaction that pays `fee` in total. */
export function feesOfBytes(
  { drafts }: Pick<UtxoParts, 'drafts'>,
  { outpoints, outputs }: UtxoTransaction,
  fee: bigint,
): UtxoFees {
  // The weight of an output without an address is unknown and counts as 0.
  const outputsWeight = outputs.reduce(
    (weight, { address }) => weight + (address === undefined ? 0 : drafts.outputWeight(address)),
    0,
  )
  return feesOf(drafts.emptyWeight + outpoints.length * drafts.inputWeight + outputsWeight, fee)
}
