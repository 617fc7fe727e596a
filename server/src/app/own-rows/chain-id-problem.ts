import { isDevChainId } from '../../chains/networks.ts'
import type { Config } from '../settings/config.ts'

/**
 * Returns why a chain id cannot be an operator's network; undefined if it can. A sandbox must not handle real
 * money, and production no test money.
 */
export function chainIdProblem({ mode }: Pick<Config, 'mode'>, chainId: number): string | undefined {
  const isDev = isDevChainId(chainId)
  if (mode === 'sandbox' && !isDev)
    return `${chainId} may have real money: a sandbox takes development chains alone, whose id is the real id followed by 31337, as in "anvil --chain-id ${chainId}31337"`
  if (mode === 'production' && isDev) return `${chainId} is a development chain, without money`
  return undefined
}
