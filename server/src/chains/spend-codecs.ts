import type { CoinCodec } from './coin-port.ts'
import { evmSpends } from './evm/spend-codec.ts'
import type { UtxoNetwork } from './networks.ts'
import type { SpendCodec } from './port.ts'
import { coinCodec } from './utxo/coin-codec.ts'

export { coinTransactionId } from './utxo/coin-codec.ts'

/** How each family writes its transactions. Pure: the signer's process loads nothing else of an adapter. */
export const spendCodecs: Readonly<Record<'evm', SpendCodec>> = { evm: evmSpends }

/** The same of a network whose money lies in coins. */
export function coinCodecOf(network: UtxoNetwork): CoinCodec {
  return coinCodec(network.chain)
}
