import { describe, expect, it } from 'vitest'
import { devChainIdOf, devChainIds } from '../networks.ts'
import { evmNetworkNames, evmNetworks } from './evm-networks.ts'

const rows = Object.values(evmNetworks)

describe('EVM networks', () => {
  it('have different chain ids, on main chains and on development chains', () => {
    const ids = [...rows.map(({ chainId }) => chainId), ...evmNetworkNames.map(devChainIdOf)]
    expect(new Set(ids).size).toBe(ids.length)
    for (const { chainId } of rows) expect(devChainIds).not.toContain(chainId)
  })

  it('have development chain ids that a JavaScript number and a wallet can hold', () => {
    // MetaMask refuses larger chain ids.
    for (const name of evmNetworkNames) expect(devChainIdOf(name)).toBeLessThanOrEqual(4_503_599_627_370_476)
  })

  it('name the contracts that repeat payments of the coin in canonical form', () => {
    for (const { coinMirrors } of rows)
      for (const mirror of coinMirrors) expect(mirror).toMatch(/^0x[0-9a-f]{40}$/)
  })
})
