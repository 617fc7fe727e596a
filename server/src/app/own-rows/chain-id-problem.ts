import { isDevChainId } from '../../chains/networks.ts'
import type { OpenNode } from '../open-node.ts'
import type { Config } from '../settings/config.ts'

/**
 * Returns why a chain id cannot be an operator's network; undefined if it can. A sandbox must not handle real
 * money, and production no test money. A transaction that is signed for a chain id is valid on every chain with it,
 * so no two networks have one.
 * @param nodes the nodes of the networks that come with Coffer, with the chain ids that they really have
 */
export function chainIdProblem(
  { mode }: Pick<Config, 'mode'>,
  chainId: number,
  nodes: readonly Pick<OpenNode, 'network'>[],
): string | undefined {
  const isDev = isDevChainId(chainId)
  if (mode === 'sandbox' && !isDev)
    return `${chainId} may have real money: a sandbox takes development chains alone, whose id is the real id followed by 31337, as in "anvil --chain-id ${chainId}31337"`
  if (mode === 'production' && isDev) return `${chainId} is a development chain, without money`
  const twin = nodes.find(({ network }) => network.family === 'evm' && network.chainId === chainId)
  return twin && `${chainId} is already followed here, as ${twin.network.name}`
}
