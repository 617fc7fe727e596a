import type { Transfer, TransferAsset } from '../port.ts'
import type { UtxoChain } from '../utxo-chains.ts'
import type { RawTransaction } from './raw-block.ts'

const coin: TransferAsset = { type: 'coin' }

/**
 * What a transaction paid to addresses, by its outputs. What has no address, or one of a kind that is not known, is left
 * out. There is no single sender: inputs may be anybody's.
 */
export function transfersOf(
  { txid, isCoinbase, isHogEx, outputs }: RawTransaction,
  chain: UtxoChain,
  addressOf: (script: Uint8Array) => string | undefined,
): readonly Transfer[] {
  const matures = maturityOf(isCoinbase, isHogEx, chain)
  return outputs.flatMap(({ script, amountMinor }, place): Transfer[] => {
    const recipient = amountMinor === 0n ? undefined : addressOf(script)
    if (recipient === undefined) return []
    const key = `${txid}:${place}`
    return [{ key, txHash: txid, asset: coin, sender: undefined, recipient, amountMinor, ...matures }]
  })
}

function maturityOf(isCoinbase: boolean, isHogEx: boolean, chain: UtxoChain): Pick<Transfer, 'maturesAfter'> {
  if (isCoinbase) return { maturesAfter: chain.coinbaseConfirmations }
  return isHogEx ? { maturesAfter: chain.pegOutConfirmations } : {}
}
