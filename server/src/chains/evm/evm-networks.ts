/**
 * The EVM networks that come with Coffer. A row has everything in which one network differs from another. The
 * sources of the price bounds are in docs/decisions/0102-fees-on-rollups.md.
 */

/**
 * The largest chain id that networks of an operator may have, because MetaMask refuses larger ones. Twice as much is
 * part of a signature (EIP-155) and is still an exact number.
 */
export const chainIdMax = 4_503_599_627_370_476

/**
 * How a transaction pays for its inclusion.
 * - `eip1559`: a base fee and a priority fee for each unit of gas.
 * - `op-stack`: the same, and a data fee for its bytes on the chain below, and since Isthmus an operator fee.
 *   Neither is part of the gas limit.
 * - `arbitrum`: a base fee for each unit of gas. The cost of its bytes on the chain below is part of its gas.
 * - `legacy`: one price for each unit of gas, all of which is paid, because blocks have no base fee. Transactions
 *   are of type 0 (EIP-155). There is no EIP-7702.
 */
export type FeeModel = 'eip1559' | 'op-stack' | 'arbitrum' | 'legacy'

/** The bounds of the fees that our transactions offer for one unit of gas, in the coin's smallest unit. */
export interface PriceBounds {
  /** If the network asks for more, nothing is sent, and the proposals wait with an alert. */
  readonly maxFeePerGasMax: bigint
  /** The network's nodes ignore a transaction with a lower priority fee. */
  readonly maxPriorityFeePerGasMin: bigint
  /** A higher suggestion of a node is not followed. Equal to `maxFeePerGasMax` on a network without base fees. */
  readonly maxPriorityFeePerGasMax: bigint
}

export interface EvmNetwork {
  readonly name: string
  readonly title: string
  readonly family: 'evm'
  /** The EIP-155 chain id; in the sandbox, that of the development chain. */
  readonly chainId: number
  readonly coin: { readonly symbol: string; readonly decimals: number; readonly name: string }
  readonly blockTimeMs: number
  /** Whether addresses can be delegated to a contract (EIP-7702), so that one transaction sweeps many. */
  readonly canDelegate: boolean
  readonly feeModel: FeeModel
  readonly priceBounds: PriceBounds
  /**
   * Contracts that present the network's coin as a token. Their events repeat payments of the coin, so no
   * token may have such an address. In canonical form.
   */
  readonly coinMirrors: readonly string[]
  readonly explorer: { readonly name: string; readonly url: string }
  /** A node that anyone may use. A payer's wallet adds the network with it (EIP-3085). Undefined if none is known. */
  readonly walletRpcUrl: string | undefined
  /**
   * What a payer usually pays for one transfer of a token, in US dollars. It is an order of magnitude, from the
   * table "Cost of a payment" of docs/networks.md. The checkout shows it where the cost is not measured.
   */
  readonly typicalFeeUsd: string
  /**
   * Whether most of the cost is the base fee, so that the base fee tells the cost. Elsewhere most of it is the
   * priority fee or a data fee.
   */
  readonly isFeeMostlyBaseFee: boolean
  /** Whether payments were tried with nodes that behave as those of this network. */
  readonly isTried: boolean
}

interface Row extends Omit<EvmNetwork, 'name' | 'family' | 'coinMirrors'> {
  readonly coinMirrors?: readonly string[]
}

const gwei = 10n ** 9n

/** The bounds of a network without special rules: a priority fee of 0.01 to 20 gwei, at most 500 gwei in all. */
const usualPrices: PriceBounds = {
  maxFeePerGasMax: 500n * gwei,
  maxPriorityFeePerGasMin: gwei / 100n,
  maxPriorityFeePerGasMax: 20n * gwei,
}
/** The nodes of OP-stack networks include a transaction only if its priority fee is at least 0.001 gwei. */
const opStackPrices: PriceBounds = {
  maxFeePerGasMax: 100n * gwei,
  maxPriorityFeePerGasMin: gwei / 1_000n,
  maxPriorityFeePerGasMax: 20n * gwei,
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
    priceBounds: usualPrices,
    explorer: { name: 'Etherscan', url: 'https://etherscan.io' },
    walletRpcUrl: 'https://ethereum.publicnode.com',
    typicalFeeUsd: '0.1',
    isFeeMostlyBaseFee: true,
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
    priceBounds: opStackPrices,
    explorer: { name: 'Basescan', url: 'https://basescan.org' },
    walletRpcUrl: 'https://mainnet.base.org',
    typicalFeeUsd: '0.002',
    isFeeMostlyBaseFee: false,
    isTried: false,
  },
  arbitrum: {
    title: 'Arbitrum One',
    chainId: 42_161,
    coin: ether,
    blockTimeMs: 250,
    canDelegate: true,
    feeModel: 'arbitrum',
    priceBounds: {
      // Low, because a transaction may take much gas for its bytes.
      maxFeePerGasMax: 20n * gwei,
      // The sequencer takes transactions in their order of arrival and ignores priority fees.
      maxPriorityFeePerGasMin: 0n,
      maxPriorityFeePerGasMax: 0n,
    },
    explorer: { name: 'Arbiscan', url: 'https://arbiscan.io' },
    walletRpcUrl: 'https://arb1.arbitrum.io/rpc',
    typicalFeeUsd: '0.005',
    isFeeMostlyBaseFee: true,
    isTried: false,
  },
  polygon: {
    title: 'Polygon',
    chainId: 137,
    coin: { symbol: 'POL', decimals: 18, name: 'POL' },
    blockTimeMs: 1_500,
    canDelegate: true,
    feeModel: 'eip1559',
    priceBounds: {
      // One POL costs less than a dollar, so that prices of gas are high.
      maxFeePerGasMax: 5_000n * gwei,
      // Bor rejects less than 25 gwei, and rejected less than 30 gwei in earlier versions.
      maxPriorityFeePerGasMin: 30n * gwei,
      maxPriorityFeePerGasMax: 500n * gwei,
    },
    coinMirrors: ['0x0000000000000000000000000000000000001010'],
    explorer: { name: 'Polygonscan', url: 'https://polygonscan.com' },
    walletRpcUrl: 'https://polygon.drpc.org',
    typicalFeeUsd: '0.005',
    isFeeMostlyBaseFee: true,
    isTried: false,
  },
  bsc: {
    title: 'BNB Smart Chain',
    chainId: 56,
    coin: { symbol: 'BNB', decimals: 18, name: 'BNB' },
    blockTimeMs: 450,
    canDelegate: true,
    feeModel: 'eip1559',
    priceBounds: {
      maxFeePerGasMax: 100n * gwei,
      // The base fee is 0, and validators reject a price of less than 0.05 gwei.
      maxPriorityFeePerGasMin: gwei / 20n,
      maxPriorityFeePerGasMax: 20n * gwei,
    },
    explorer: { name: 'BscScan', url: 'https://bscscan.com' },
    walletRpcUrl: 'https://bsc-dataseed.bnbchain.org',
    typicalFeeUsd: '0.005',
    isFeeMostlyBaseFee: false,
    isTried: false,
  },
  optimism: {
    title: 'OP Mainnet',
    chainId: 10,
    coin: ether,
    blockTimeMs: 2_000,
    canDelegate: true,
    feeModel: 'op-stack',
    priceBounds: opStackPrices,
    coinMirrors: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
    explorer: { name: 'Optimism Explorer', url: 'https://optimistic.etherscan.io' },
    walletRpcUrl: 'https://mainnet.optimism.io',
    typicalFeeUsd: '0.002',
    isFeeMostlyBaseFee: false,
    isTried: false,
  },
  avalanche: {
    title: 'Avalanche C-Chain',
    chainId: 43_114,
    coin: { symbol: 'AVAX', decimals: 18, name: 'Avalanche' },
    blockTimeMs: 2_000,
    canDelegate: false,
    feeModel: 'eip1559',
    priceBounds: {
      maxFeePerGasMax: 500n * gwei,
      // Since ACP-176 the base fee may be a few wei, and no priority fee is needed.
      maxPriorityFeePerGasMin: 1n,
      maxPriorityFeePerGasMax: 20n * gwei,
    },
    explorer: { name: 'Snowtrace', url: 'https://snowtrace.io' },
    walletRpcUrl: 'https://api.avax.network/ext/bc/C/rpc',
    typicalFeeUsd: '0.005',
    isFeeMostlyBaseFee: true,
    isTried: false,
  },
  gnosis: {
    title: 'Gnosis',
    chainId: 100,
    coin: { symbol: 'XDAI', decimals: 18, name: 'xDAI' },
    blockTimeMs: 5_000,
    canDelegate: true,
    feeModel: 'eip1559',
    priceBounds: usualPrices,
    explorer: { name: 'Gnosisscan', url: 'https://gnosisscan.io' },
    walletRpcUrl: 'https://rpc.gnosischain.com',
    typicalFeeUsd: '0.0005',
    isFeeMostlyBaseFee: false,
    isTried: false,
  },
  linea: {
    title: 'Linea',
    chainId: 59_144,
    coin: ether,
    blockTimeMs: 2_000,
    canDelegate: true,
    feeModel: 'eip1559',
    priceBounds: usualPrices,
    explorer: { name: 'Lineascan', url: 'https://lineascan.build' },
    walletRpcUrl: 'https://rpc.linea.build',
    typicalFeeUsd: '0.01',
    isFeeMostlyBaseFee: false,
    isTried: false,
  },
} as const satisfies Readonly<Record<string, Row>>

/** The name of an EVM network that comes with Coffer. Settings and the catalogue name these networks alone. */
export type ShippedEvmName = keyof typeof rows

/** The names of the EVM networks that come with Coffer, in the order of the table. */
export const evmNetworkNames = Object.keys(rows) as readonly ShippedEvmName[]

export const evmNetworks: { readonly [Name in ShippedEvmName]: EvmNetwork & { readonly name: Name } } =
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { coinMirrors: [], ...row, name, family: 'evm' }]),
  ) as never

/** The names of the networks that charge for the bytes of a transaction in addition to its gas. */
export const dataFeeNetworks: readonly string[] = evmNetworkNames.filter(
  (name) => evmNetworks[name].feeModel === 'op-stack',
)
