/** Families are code, networks are rows. */
export interface Network {
  readonly name: NetworkName
  readonly title: string
  readonly family: ChainFamily
  /** EIP-155 id; the dev chain's in the sandbox. */
  readonly chainId: number
  readonly coin: { readonly symbol: string; readonly decimals: number }
  readonly blockTimeMs: number
  /** Whether its transactions can delegate addresses to a contract (EIP-7702), so that many are swept by one. */
  readonly canDelegate: boolean
}

export type NetworkName = 'ethereum'

export type ChainFamily = 'evm'

export const networks = {
  ethereum: {
    name: 'ethereum',
    title: 'Ethereum',
    family: 'evm',
    chainId: 1,
    coin: { symbol: 'ETH', decimals: 18 },
    blockTimeMs: 12_000,
    canDelegate: true,
  },
} as const satisfies Record<NetworkName, Network>

/** Chain ids that only development chains use (anvil and Hardhat, Ganache). Sandbox mode accepts no other. */
export const devChainIds: readonly number[] = [31337, 1337]

export function isNetworkName(text: string): text is NetworkName {
  return Object.hasOwn(networks, text)
}
