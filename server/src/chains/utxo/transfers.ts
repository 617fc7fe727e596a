import type { Transfer, TransferAsset } from '../port.ts'
import type { RawTransaction } from './encoding/raw-block.ts'
import type { PayersOf } from './payers.ts'
import type { UtxoChain } from './utxo-chains.ts'

const coin: TransferAsset = { type: 'coin' }

/**
 * Returns the transfers that a transaction's outputs make to addresses. Outputs of zero, and outputs without
 * an address or of an unknown type, are left out.
 */
export function transfersOf(
  transaction: RawTransaction,
  chain: UtxoChain,
  addressOf: (script: Uint8Array) => string | undefined,
  payersOf: PayersOf,
): readonly Transfer[] {
  const { txid, isCoinbase, isHogEx, outputs } = transaction
  const senders = payersOf(transaction)
  const sender = senders?.length === 1 ? senders[0] : undefined
  const several = senders === undefined || sender !== undefined ? {} : { senders }
  const matures = maturityOf(isCoinbase, isHogEx, chain)
  return outputs.flatMap(({ script, amountMinor }, index): Transfer[] => {
    const recipient = amountMinor === 0n ? undefined : addressOf(script)
    if (recipient === undefined) return []
    const key = `${txid}:${index}`
    return [{ key, txHash: txid, asset: coin, sender, recipient, amountMinor, ...several, ...matures }]
  })
}

function maturityOf(isCoinbase: boolean, isHogEx: boolean, chain: UtxoChain): Pick<Transfer, 'maturesAfter'> {
  if (isCoinbase) return { maturesAfter: chain.coinbaseConfirmations }
  return isHogEx ? { maturesAfter: chain.pegOutConfirmations } : {}
}
