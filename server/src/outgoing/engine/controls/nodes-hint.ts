import { shippedNetworkOf } from '../../../chains/networks.ts'

/**
 * Returns what to do if the nodes of an operator's own network may be wrong, to be added to the reason of a halt. A
 * halt stops all networks, because all EVM networks have the same hot wallets: if a transaction is not ours, their key
 * may be known to others. Empty for networks that come with Coffer, whose nodes are settings.
 */
export function nodesHint(network: string): string {
  if (shippedNetworkOf(network) !== undefined) return ''
  return `. ${network} is your own network: if its nodes are wrong, replace them with "coffer networks nodes ${network} --rpc URL[,URL]", restart all processes and lift this halt`
}
