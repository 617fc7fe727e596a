import type { EvmNetwork } from '../chains/evm/evm-networks.ts'
import { networks } from '../chains/networks.ts'
import { readDevChainId } from './open-chains.ts'
import type { Config } from './settings/config.ts'

/**
 * Returns the node of the EVM chain that a running Coffer follows, for use by commands.
 * @throws Error if no node of a dev chain answers
 */
export async function findRunningNode(
  config: Config,
  signal: AbortSignal,
): Promise<{ readonly network: EvmNetwork; readonly urls: readonly string[] }> {
  const isReal = config.mode === 'production'
  const ownUrl = `http://127.0.0.1:${config.sandboxEvmPort}`
  const urls = config.evmRpcEthereum.length > 0 || isReal ? config.evmRpcEthereum : [ownUrl]
  const chainId = isReal ? networks.ethereum.chainId : await readDevChainId(urls[0] ?? '', signal)
  return { network: { ...networks.ethereum, chainId }, urls }
}
