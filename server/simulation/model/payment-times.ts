/** Determines when payments arrived. */
import type { PaymentTime } from '../prices/valuation.ts'
import type { CheckedChain } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** Returns the times between which a payment arrived. The second is infinite if no block contains the payment. */
export type TimeOf = (transfer: TrueTransfer) => PaymentTime

/** Returns the times of payments on a chain. */
export function paymentTimesOn(chain: CheckedChain): TimeOf {
  const mined = minedMsOn(chain)
  return ({ txHash }) => ({
    // On a UTXO network, a payment counts from the moment in which a node has it.
    fromMs: chain.feeTerms === undefined ? chain.firstMinedMs(txHash) : 0,
    toMs: mined.get(txHash) ?? Number.POSITIVE_INFINITY,
  })
}

/** Returns when the block that holds each transaction was mined. */
function minedMsOn({ chain }: CheckedChain): ReadonlyMap<string, number> {
  const mined = new Map<string, number>()
  for (let height = 0; height <= chain.head.height; height += 1) {
    const block = chain.blockAt(height)
    for (const { hash } of block?.transactions ?? []) mined.set(hash, block?.ref.minedAt.getTime() ?? 0)
  }
  return mined
}
