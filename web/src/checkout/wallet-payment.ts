/** Pays with a browser wallet (EIP-1193) on the network of the payment, and on no other network. */

export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'chainChanged', listener: (chainId: unknown) => void): unknown
  removeListener?(event: 'chainChanged', listener: (chainId: unknown) => void): unknown
}

/** The transaction that the server prepared. Numbers are in hex with the prefix 0x. */
export interface Call {
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
}

/** The parameters of `wallet_addEthereumChain` (EIP-3085). */
export interface WalletChain {
  readonly chainId: string
  readonly chainName: string
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls?: readonly string[]
}

export interface Payment {
  readonly call: Call
  /** The network for a wallet that does not know it; undefined if a wallet must not add it. */
  readonly chain: WalletChain | undefined
  /** Called if the payer switches the wallet to another network before the transaction is sent. */
  onLeave(): void
}

/**
 * Asks the wallet to send the transaction. `other-chain` means that nothing was sent, because the wallet uses
 * another network.
 * @throws the wallet's error, for example if the payer rejected the transaction
 */
export async function sendPayment(
  provider: Provider,
  { call, chain, onLeave }: Payment,
): Promise<'sent' | 'other-chain'> {
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!(await usesChain(provider, call.chainId))) await switchChain(provider, call.chainId, chain)
  let hasLeft = false
  const listener = (chainId: unknown) => {
    if (Number(chainId) === Number(call.chainId)) return
    hasLeft = true
    onLeave()
  }
  provider.on?.('chainChanged', listener)
  try {
    if (!(await usesChain(provider, call.chainId)) || hasLeft) return 'other-chain'
    // A wallet that reads `chainId` refuses the transaction if the payer switches while it asks for consent.
    await provider.request({ method: 'eth_sendTransaction', params: [{ from, ...call }] })
    return 'sent'
  } finally {
    provider.removeListener?.('chainChanged', listener)
  }
}

async function usesChain(provider: Provider, chainId: string): Promise<boolean> {
  return Number(await provider.request({ method: 'eth_chainId' })) === Number(chainId)
}

/**
 * Asks the wallet to switch to the chain (EIP-3326). If the wallet does not know the chain, it is added first.
 * The caller checks the result, because some wallets report success and do not switch.
 */
async function switchChain(
  provider: Provider,
  chainId: string,
  chain: WalletChain | undefined,
): Promise<void> {
  const ask = () => provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  try {
    await ask()
  } catch (error) {
    if (chain === undefined || !isUnknownChain(error)) return
    try {
      await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
      await ask()
    } catch {
      // The payer declined, or the wallet cannot add chains.
    }
  }
}

const unknownChainCode = 4902

interface WalletError {
  readonly code?: unknown
  readonly data?: { readonly originalError?: { readonly code?: unknown } }
}

/** Some mobile wallets put the code into `data.originalError` of an internal error. */
function isUnknownChain(error: unknown): boolean {
  const { code, data } = (error ?? {}) as WalletError
  return code === unknownChainCode || data?.originalError?.code === unknownChainCode
}
