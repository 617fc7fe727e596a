import { describe, expect, it } from 'vitest'
import { evmNetworks } from './evm-networks.ts'
import { walletChainOf } from './wallet-chain.ts'

const { base } = evmNetworks

describe('the network that a wallet adds', () => {
  it('has the public node and the explorer of the main chain, whatever node Coffer uses', () => {
    expect(walletChainOf(base, 8453, 'https://node.example/secret')).toEqual({
      chainId: '0x2105',
      chainName: 'Base',
      nativeCurrency: { symbol: 'ETH', decimals: 18, name: 'Ether' },
      rpcUrls: ['https://mainnet.base.org'],
      blockExplorerUrls: ['https://basescan.org'],
    })
  })

  it.each(['http://127.0.0.1:8545', 'http://localhost:8545', 'http://[::1]:8545'])(
    'has the dev node %s, and no explorer',
    (url) => {
      expect(walletChainOf(base, 31337, url)).toEqual({
        chainId: '0x7a69',
        chainName: 'Base (test)',
        nativeCurrency: base.coin,
        rpcUrls: [url],
      })
    },
  )

  it('is unknown on a chain with money without a public node, even if the node is on this host', () => {
    const row = { ...base, chainId: 4242, walletRpcUrl: undefined }
    expect(walletChainOf(row, 4242, 'http://127.0.0.1:8545')).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    'http://10.0.0.7:8545',
    'https://dev.example',
    'http://localhost.example',
    'http://user:word@127.0.0.1:8545',
  ])('is unknown on a dev chain with the node %s', (url) => {
    expect(walletChainOf(base, 31337, url)).toBeUndefined()
  })
})
