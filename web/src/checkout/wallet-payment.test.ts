/** Tests payments with a fake browser wallet, whose network the tests change at any moment. */
import { describe, expect, it, vi } from 'vitest'
import { type Provider, sendPayment, type WalletChain } from './wallet-payment.ts'

const call = { chainId: '0x2105', to: '0x1', value: '0x0', data: '0x' }
const base: WalletChain = {
  chainId: '0x2105',
  chainName: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://mainnet.base.org'],
  blockExplorerUrls: ['https://basescan.org'],
}
const unknown = { code: 4902 }
const nestedUnknown = { code: -32603, data: { originalError: { code: 4902 } } }
const declined = { code: 4001 }

class FakeWallet implements Provider {
  chainId = '0x1'
  readonly known = new Set(['0x1', '0x2105'])
  readonly asked: string[] = []
  readonly sent: unknown[] = []
  readonly #listeners = new Set<(chainId: unknown) => void>()
  unknownError: object = unknown
  /** What happens before the wallet handles a method. */
  before: (method: string) => void = () => {}

  async request({ method, params: [param] = [] }: Parameters<Provider['request']>[0]): Promise<unknown> {
    this.before(method)
    this.asked.push(method)
    if (method === 'eth_requestAccounts') return ['0xa']
    if (method === 'eth_chainId') return this.chainId
    const { chainId } = param as { chainId: string }
    if (method === 'wallet_addEthereumChain') this.known.add(chainId)
    if (method === 'wallet_switchEthereumChain') {
      if (!this.known.has(chainId)) throw this.unknownError
      this.moveTo(chainId)
    }
    if (method === 'eth_sendTransaction') this.sent.push(param)
    return null
  }

  moveTo(chainId: string): void {
    this.chainId = chainId
    for (const listener of this.#listeners) listener(chainId)
  }

  on(_event: string, listener: (chainId: unknown) => void): void {
    this.#listeners.add(listener)
  }

  removeListener(_event: string, listener: (chainId: unknown) => void): void {
    this.#listeners.delete(listener)
  }

  get listeners(): number {
    return this.#listeners.size
  }
}

function pay(wallet: Provider, chain: WalletChain | undefined = base, onLeave = () => {}) {
  return sendPayment(wallet, { call, chain, onLeave })
}

describe('a payment with a browser wallet', () => {
  it('is sent with its chain id, after the wallet switched to its network', async () => {
    const wallet = new FakeWallet()
    expect(await pay(wallet)).toBe('sent')
    expect(wallet.sent).toEqual([{ from: '0xa', ...call }])
    expect(wallet.asked.slice(-2)).toEqual(['eth_chainId', 'eth_sendTransaction'])
    expect(wallet.listeners).toBe(0)
  })

  it('asks for no switch if the wallet uses the network already', async () => {
    const wallet = new FakeWallet()
    wallet.chainId = '0x2105'
    expect(await pay(wallet)).toBe('sent')
    expect(wallet.asked).not.toContain('wallet_switchEthereumChain')
  })

  it.each([
    ['directly', unknown],
    ['in the data of an internal error', nestedUnknown],
  ])('adds the network if the wallet reports %s that it is unknown', async (_, error) => {
    const wallet = new FakeWallet()
    wallet.known.delete('0x2105')
    wallet.unknownError = error
    const request = vi.spyOn(wallet, 'request')
    expect(await pay(wallet)).toBe('sent')
    expect(request).toHaveBeenCalledWith({ method: 'wallet_addEthereumChain', params: [base] })
  })

  it('adds no network that the server does not describe, and sends nothing', async () => {
    const wallet = new FakeWallet()
    wallet.known.delete('0x2105')
    expect(await sendPayment(wallet, { call, chain: undefined, onLeave() {} })).toBe('other-chain')
    expect(wallet.asked).not.toContain('wallet_addEthereumChain')
    expect(wallet.sent).toEqual([])
  })

  it('adds no network if the payer declined to switch, and sends nothing', async () => {
    const wallet = new FakeWallet()
    wallet.known.delete('0x2105')
    wallet.unknownError = declined
    expect(await pay(wallet)).toBe('other-chain')
    expect(wallet.asked).not.toContain('wallet_addEthereumChain')
    expect(wallet.sent).toEqual([])
  })

  it('sends nothing if the payer declined to add the network', async () => {
    const wallet = new FakeWallet()
    wallet.known.delete('0x2105')
    wallet.before = (method) => {
      if (method === 'wallet_addEthereumChain') throw declined
    }
    expect(await pay(wallet)).toBe('other-chain')
    expect(wallet.sent).toEqual([])
  })

  it('sends nothing if the wallet reports a switch and does not switch', async () => {
    const wallet = new FakeWallet()
    wallet.moveTo = () => {}
    expect(await pay(wallet)).toBe('other-chain')
    expect(wallet.sent).toEqual([])
  })

  it('sends nothing if the payer leaves the network during the last check', async () => {
    const wallet = new FakeWallet()
    wallet.chainId = '0x2105'
    const onLeave = vi.fn()
    let checks = 0
    const request = wallet.request.bind(wallet)
    wallet.request = async (asked) => {
      const answer = await request(asked)
      // The answer of the second check is already on its way.
      if (asked.method === 'eth_chainId' && ++checks === 2) wallet.moveTo('0x1')
      return answer
    }
    expect(await pay(wallet, base, onLeave)).toBe('other-chain')
    expect(onLeave).toHaveBeenCalledOnce()
    expect(wallet.sent).toEqual([])
    expect(wallet.listeners).toBe(0)
  })

  it('reports that the payer left the network while the wallet asked for consent', async () => {
    const wallet = new FakeWallet()
    const onLeave = vi.fn()
    wallet.before = (method) => {
      if (method !== 'eth_sendTransaction') return
      wallet.moveTo('0x1')
      throw { code: -32602, message: 'The chain id does not match.' }
    }
    await expect(pay(wallet, base, onLeave)).rejects.toMatchObject({ code: -32602 })
    expect(onLeave).toHaveBeenCalledOnce()
    expect(wallet.listeners).toBe(0)
  })

  it('works with a wallet that reports no changes of its network', async () => {
    const { chainId, sent } = { chainId: '0x2105', sent: [] as unknown[] }
    const wallet: Provider = {
      request: async ({ method, params = [] }) => {
        if (method === 'eth_requestAccounts') return ['0xa']
        if (method === 'eth_sendTransaction') sent.push(params[0])
        return chainId
      },
    }
    expect(await pay(wallet)).toBe('sent')
    expect(sent).toHaveLength(1)
  })
})
