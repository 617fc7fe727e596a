import type { EvmNetwork } from './evm/evm-networks.ts'
import { legacySpends } from './evm/legacy/legacy-codec.ts'
import { evmSpends } from './evm/spend-codec.ts'
import type { UtxoNetwork } from './networks.ts'
import type { SpendCodec } from './port.ts'
import { readTransactionId, utxoCodec } from './utxo/encoding/utxo-codec.ts'
import type { UtxoCodec } from './utxo/utxo-port.ts'

/**
 * The codecs for transactions of account-based chains: `evm` for networks with base fees, `legacy` for networks
 * without. The signer process loads only the codecs, and no other part of an adapter.
 */
export const spendCodecs: Readonly<Record<'evm' | 'legacy', SpendCodec>> = {
  evm: evmSpends,
  legacy: legacySpends,
}

/** Returns the codec of the transactions that we send on a network. */
export function spendCodecOf({ feeModel }: Pick<EvmNetwork, 'feeModel'>): SpendCodec {
  return feeModel === 'legacy' ? spendCodecs.legacy : spendCodecs.evm
}

/**
 * Decides whether bytes in hex, unsigned or signed, are a transaction of type 0. Its bytes are a list in RLP, which
 * begins with 0xc0 or more. All other types begin with their number, at most 0x7f (EIP-2718).
 */
export function isLegacyTransaction(bytes: string): boolean {
  return /^[c-f][0-9a-f]/.test(bytes)
}

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
