/** Compares the transfers of a block that was read again with those that were recorded. Pure. */
import type { Transfer } from '../../../chains/port.ts'

/** A recorded deposit, or an output of ours, with the key of its transfer. */
export interface RecordedTransfer {
  readonly key: string
  readonly txHash: string
  readonly recipient: string
  readonly amountMinor: bigint
}

/**
 * Returns those of `transfers` that were not recorded, in their order. A transfer is recorded if its key is.
 *
 * The key of a coin transfer by an EVM call holds the position of the call. Nodes number the calls of a few
 * transactions differently (`chains/evm/tracing/call-tracer.ts`), so the position proves nothing. These transfers are
 * counted instead: for each transaction, recipient and amount, as many are recorded as there are records. Without
 * this rule, a payment would be booked twice if another node than before reports its block.
 * @param transfers holds all transfers of their transactions to their recipients
 * @param recorded holds the records of these transactions
 */
export function unrecordedTransfers(
  transfers: readonly Transfer[],
  recorded: readonly RecordedTransfer[],
): readonly Transfer[] {
  const keys = new Set(recorded.map(({ key }) => key))
  const counts = new Map<string, number>()
  for (const record of recorded)
    if (isCall(record)) counts.set(contentOf(record), (counts.get(contentOf(record)) ?? 0) + 1)
  const isRecorded = (transfer: Transfer) => {
    if (!isCall(transfer)) return keys.has(transfer.key)
    const left = counts.get(contentOf(transfer)) ?? 0
    counts.set(contentOf(transfer), left - 1)
    return left > 0
  }
  // Transfers whose keys are recorded are counted first, so that the others are those to be recorded.
  const known = new Set(transfers.filter((transfer) => keys.has(transfer.key) && isRecorded(transfer)))
  return transfers.filter((transfer) => !known.has(transfer) && !isRecorded(transfer))
}

/** Decides whether the transfer is one by an EVM call, as `chains/evm/transfers.ts` builds its key. */
function isCall({ key, txHash }: Pick<Transfer, 'key' | 'txHash'>): boolean {
  return key.startsWith(`${txHash}:call:`)
}

function contentOf({ txHash, recipient, amountMinor }: Omit<RecordedTransfer, 'key'>): string {
  return `${txHash} ${recipient} ${amountMinor}`
}
