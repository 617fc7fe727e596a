/**
 * Decides which UTXOs one plan may spend. Each UTXO is sent to the signer with its whole previous
 * transaction, and the size of one request is limited. Pure.
 */
import { limits } from '../../core/limits.ts'
import type { SpendableUtxo } from './utxo-store.ts'

export interface RequestFit {
  /** UTXOs in the given order. All their previous transactions together fit into one request. */
  readonly together: readonly SpendableUtxo[]
  /** UTXOs with a previous transaction so large that two of them may not fit into one request. */
  readonly alone: readonly SpendableUtxo[]
  /** Whether there are more UTXOs than those in `together`. */
  readonly hasMore: boolean
}

/**
 * Splits UTXOs by the size of their previous transactions. Two UTXOs always fit into one request if neither
 * is in `alone`. A UTXO that does not fit into `together` is skipped, and the UTXOs after it are still tried.
 */
export function fitRequest(utxos: readonly SpendableUtxo[]): RequestFit {
  const showable = utxos.filter(
    ({ previousTransactionBytes }) => previousTransactionBytes <= limits.previousTransactionBytesMax,
  )
  const together: SpendableUtxo[] = []
  let bytes = 0
  for (const utxo of showable) {
    if (bytes + utxo.previousTransactionBytes > limits.previousTransactionsBytes) continue
    bytes += utxo.previousTransactionBytes
    together.push(utxo)
  }
  const alone = showable.filter(
    ({ previousTransactionBytes }) => 2 * previousTransactionBytes > limits.previousTransactionsBytes,
  )
  return { together, alone, hasMore: together.length < showable.length }
}
