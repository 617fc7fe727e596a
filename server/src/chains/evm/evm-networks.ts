/**
 * The EVM networks that come with Coffer. A row has everything in which one network differs from another. The
 * source of each figure is in docs/networks.md.
 */

/**
 * How a transaction pays for its inclusion.
 * - `eip1559`: a base fee and a priority fee for each unit of gas.
 * - `op-stack`: the same, and a data fee for its bytes on the chain below, and since Isthmus an operator fee.
 *   Neither is part of the gas limit.
 * - `arbitrum`: a base fee for each unit of gas. The cost of its bytes on the chain below is part of its gas.
 */
export type FeeModel = 'eip1559' | 'op-stack' | 'arbitrum'

export interface EvmNetwork {
  readonly name: EvmNetworkName
  readonly title: string
  readonly family: 'evm'
  /** The EIP-155 chain id; in the sandbox, that of the development chain. */
  readonly chainId: number
  readonly coin: { readonly symbol: string; readonly decimals: number; readonly name: string }
  readonly blockTimeMs: number
  /** Whether addresses can be delegated to a contract (EIP-7702), so that one transaction sweeps many. */
  readonly canDelegate: boolean
  readonly feeModel: FeeModel
  /**
   * Contracts that present the network's coin as a token. Their events repeat payments of the coin, so no
   * token may have such an address. In canonical form.
   */
  readonly coinMirrors: readonly string[]
  readonly explorer: { readonly name: string; readonly url: string }
  /** A node that anyone may use. A payer's wallet adds the network with it (EIP-3085). */
  readonly walletRpcUrl: string
  /** Whether payments were tried with nodes that behave as those of this network. */
  readonly isTried: boolean
}

interface Row extends Omit<EvmNetwork, 'name' | 'family' | 'coinMirrors'> {
  readonly coinMirrors?: readonly string[]
}

const ether = { symbol: 'ETH', decimals: 18, name: 'Ether' } as const

const rows = {
  ethereum: {
    title: 'Ethereum',
    chainId: 1,
    coin: ether,
    blockTimeMs: 12_000,
    canDelegate: true,
    feeModel: 'eip1559',
    explorer: { name: 'Etherscan', url: 'https://etherscan.io' },
    walletRpcUrl: 'https://ethereum.publicnode.com',
    isTried: true,
  },
  base: {
    title: 'Base',
    chainId: 8453,
    coin: ether,
    blockTimeMs: 200,
    canDelegate: true,
    feeModel: 'op-stack',
    coinMirrors: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
    explorer: { name: 'Basescan', url: 'https://basescan.org' },
    walletRpcUrl: 'https://mainnet.base.org',
    isTried: false,
  },
  arbitrum: {
    title: 'Arbitrum One',
    chainId: 42_161,
    coin: ether,
    blockTimeMs: 250,
    canDelegate: true,
    feeModel: 'arbitrum',
    explorer: { name: 'Arbiscan', url: 'https://arbiscan.io' },
    walletRpcUrl: 'https://arb1.arbitrum.io/rpc',
    isTried: false,
  },
  polygon: {
    title: 'Polygon',
    chainId: 137,
    coin: { symbol: 'POL', decimals: 18, name: 'POL' },
    blockTimeMs: 1_500,
    canDelegate: true,
    feeModel: 'eip1559',
    coinMirrors: ['0x0000000000000000000000000000000000001010'],
    explorer: { name: 'Polygonscan', url: 'https://polygonscan.com' },
    walletRpcUrl: 'https://polygon.drpc.org',
    isTried: false,
  },
  bsc: {
    title: 'BNB Smart Chain',
    chainId: 56,
    coin: { symbol: 'BNB', decimals: 18, name: 'BNB' },
    blockTimeMs: 450,
    canDelegate: true,
    feeModel: 'eip1559',
    explorer: { name: 'BscScan', url: 'https://bscscan.com' },
    walletRpcUrl: 'https://bsc-dataseed.bnbchain.org',
    isTried: false,
  },
  optimism: {
    title: 'OP Mainnet',
    chainId: 10,
    coin: ether,
    blockTimeMs: 2_000,
    canDelegate: true,
    feeModel: 'op-stack',
    coinMirrors: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
    explorer: { name: 'Optimism Explorer', url: 'https://optimistic.etherscan.io' },
    walletRpcUrl: 'https://mainnet.optimism.io',
    isTried: false,
  },
  avalanche: {
    title: 'Avalanche C-Chain',
    chainId: 43_114,
    coin: { symbol: 'AVAX', decimals: 18, name: 'Avalanche' },
    blockTimeMs: 2_000,
    canDelegate: false,
    feeModel: 'eip1559',
    explorer: { name: 'Snowtrace', url: 'https://snowtrace.io' },
    walletRpcUrl: 'https://api.avax.network/ext/bc/C/rpc',
    isTried: false,
  },
  gnosis: {
    title: 'Gnosis',
    chainId: 100,
    coin: { symbol: 'XDAI', decimals: 18, name: 'xDAI' },
    blockTimeMs: 5_000,
    canDelegate: true,
    feeModel: 'eip1559',
    explorer: { name: 'Gnosisscan', url: 'https://gnosisscan.io' },
    walletRpcUrl: 'https://rpc.gnosischain.com',
    isTried: false,
  },
  linea: {
    title: 'Linea',
    chainId: 59_144,
    coin: ether,
    blockTimeMs: 2_000,
    canDelegate: true,
    feeModel: 'eip1559',
    explorer: { name: 'Lineascan', url: 'https://lineascan.build' },
    walletRpcUrl: 'https://rpc.linea.build',
    isTried: false,
  },
} as const satisfies Readonly<Record<string, Row>>

export type EvmNetworkName = keyof typeof rows

/** The names of the EVM networks, in the order of the table. */
export const evmNetworkNames = Object.keys(rows) as readonly EvmNetworkName[]

export const evmNetworks: { readonly [Name in EvmNetworkName]: EvmNetwork & { readonly name: Name } } =
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { coinMirrors: [], ...row, name, family: 'evm' }]),
  ) as never
