import { evmSpends } from './evm/spend-codec.ts'
import type { UtxoNetwork } from './networks.ts'
import type { SpendCodec } from './port.ts'
import { readTransactionId, utxoCodec } from './utxo/encoding/utxo-codec.ts'
import type { UtxoCodec } from './utxo/utxo-port.ts'

/**
 * The codecs for transactions of account-based chains, by family. The signer process loads only the codecs,
 * and no other part of an adapter.
 */
export const spendCodecs: Readonly<Record<'evm', SpendCodec>> = { evm: evmSpends }

export function utxoCodecOf(network: UtxoNetwork): UtxoCodec {
  return utxoCodec(network.chain)
}

/**
 * Returns the id, in hex, of a signed transaction of a UTXO chain, whatever the transaction does.
 * @throws SignedBytesError unless the bytes are a transaction
 */
export function utxoTransactionId(raw: string): string {
  return readTransactionId(raw)
}
