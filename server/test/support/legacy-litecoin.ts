import { networks, type UtxoNetwork } from '../../src/chains/networks.ts'
import { utxoChains } from '../../src/chains/utxo/utxo-chains.ts'

/**
 * Litecoin run as a coin without witnesses whose nodes cannot scan for addresses, such as Dogecoin. litecoind
 * accepts such transactions too, and there is no dogecoind to install.
 */
export const legacyLitecoin: UtxoNetwork = {
  ...networks.litecoin,
  chain: { ...utxoChains.litecoin.regtest, bech32: undefined, mweb: undefined, canScan: false },
}
