import { classifyAddress } from '../../core/network-address.ts'
import { isDevChainId } from '../networks.ts'
import type { WalletChain } from '../port.ts'
import type { EvmNetwork } from './evm-networks.ts'

/**
 * Returns how a payer's wallet adds a network. On the main chain the wallet uses the public node of the
 * network's row. On a dev chain it uses `nodeUrl`, the dev node, if that node listens on this host only.
 * Undefined if there is no such node, because another node may require a secret or be private. The node of a chain
 * with money is never shown.
 * @param chainId the chain id of the configured nodes
 */
export function walletChainOf(
  { title, chainId: mainChainId, coin, walletRpcUrl, explorer }: EvmNetwork,
  chainId: number,
  nodeUrl: string | undefined,
): WalletChain | undefined {
  const id = `0x${chainId.toString(16)}`
  if (chainId === mainChainId && walletRpcUrl !== undefined)
    return {
      chainId: id,
      chainName: title,
      nativeCurrency: coin,
      rpcUrls: [walletRpcUrl],
      blockExplorerUrls: [explorer.url],
    }
  if (!isDevChainId(chainId) || nodeUrl === undefined || !isOnLoopback(nodeUrl)) return undefined
  return { chainId: id, chainName: `${title} (test)`, nativeCurrency: coin, rpcUrls: [nodeUrl] }
}

function isOnLoopback(nodeUrl: string): boolean {
  if (!URL.canParse(nodeUrl)) return false
  const { hostname, username, password } = new URL(nodeUrl)
  if (username !== '' || password !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || classifyAddress(host) === 'loopback'
}
