import { evmSpends } from './evm/spend-codec.ts'
import type { UtxoNetwork } from './networks.ts'
import type { SpendCodec } from './port.ts'
import type { CoinCodec } from './utxo/coin-port.ts'
import { coinCodec, readTransactionId } from './utxo/encoding/coin-codec.ts'

/** How each family writes its transactions. Pure: the signer's process loads nothing else of an adapter. */
export const spendCodecs: Readonly<Record<'evm', SpendCodec>> = { evm: evmSpends }

/** The same of a network whose money lies in coins. */
export function coinCodecOf(network: UtxoNetwork): CoinCodec {
  return coinCodec(network.chain)
}

/**
 * The id of signed bytes of coins, in hex, whatever they do.
 * @throws SignedBytesError unless they are a transaction
 */
export function coinTransactionId(raw: string): string {
  return readTransactionId(raw)
}
