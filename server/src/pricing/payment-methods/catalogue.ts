import { type Network, networks, type ShippedNetworkName } from '../../chains/networks.ts'
import { assert } from '../../core/assert.ts'
import { decimal, usdDecimals } from '../../core/money.ts'
import type { ConfirmationTier, PaymentMethod } from './payment-method.ts'

interface CatalogueRow {
  readonly id: number
  readonly symbol: string
  readonly name: string
  readonly network: ShippedNetworkName
  readonly decimals: number
  /** The address of the token contract on the network's mainnet. On a dev chain the address is different. */
  readonly contract?: string
  readonly minimum: string
  /**
   * The maximum deposit: more than any payer sends at once, and for a coin at least its whole supply. A
   * larger transfer is put into quarantine.
   */
  readonly depositMax: string
  readonly isStable: boolean
  /** Set only for a token whose code was reviewed; see `PaymentMethod`. Undefined until the review. */
  readonly isPlain?: boolean
  /** Set to false for a row that no merchant may credit; see `PaymentMethod`. True by default. */
  readonly isCreditable?: boolean
}

/**
 * Every payment method. Ids never change. Ids 1 to 9 are reserved for the methods below. Further methods have
 * ids from 10, grouped by network.
 */
const catalogue: readonly CatalogueRow[] = [
  {
    id: 1,
    symbol: 'USDT',
    name: 'Tether USD',
    network: 'ethereum',
    decimals: 6,
    contract: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
    // A transfer fails if the issuer has paused the token or blocked the sender. A transfer calls no other
    // contract.
    isPlain: true,
  },
  {
    id: 2,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'ethereum',
    decimals: 6,
    contract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
    // A transfer fails if the issuer has paused the token or blocked the sender or the recipient. A transfer
    // calls no other contract.
    isPlain: true,
  },
  {
    id: 3,
    symbol: 'ETH',
    name: 'Ether',
    network: 'ethereum',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 4,
    symbol: 'BTC',
    name: 'Bitcoin',
    network: 'bitcoin',
    decimals: 8,
    minimum: '0.00001',
    depositMax: '21000000',
    isStable: false,
  },
  {
    id: 5,
    symbol: 'LTC',
    name: 'Litecoin',
    network: 'litecoin',
    decimals: 8,
    minimum: '0.005',
    depositMax: '84000000',
    isStable: false,
  },
  {
    id: 6,
    symbol: 'DOGE',
    name: 'Dogecoin',
    network: 'dogecoin',
    decimals: 8,
    minimum: '5',
    depositMax: '1000000000000',
    isStable: false,
  },
  {
    id: 10,
    symbol: 'DAI',
    name: 'Dai',
    network: 'ethereum',
    decimals: 18,
    contract: '0x6b175474e89094c44da98b954eedeac495271d0f',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 11,
    symbol: 'EURC',
    name: 'Euro Coin',
    network: 'ethereum',
    decimals: 6,
    contract: '0x1abaea1f7c830bd89acc67ec4af516284b1bc33c',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 20,
    symbol: 'ETH',
    name: 'Ether',
    network: 'base',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 21,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'base',
    decimals: 6,
    contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 22,
    symbol: 'EURC',
    name: 'Euro Coin',
    network: 'base',
    decimals: 6,
    contract: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 23,
    symbol: 'DAI',
    name: 'Dai (Base bridge)',
    network: 'base',
    decimals: 18,
    contract: '0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 30,
    symbol: 'ETH',
    name: 'Ether',
    network: 'arbitrum',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 31,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'arbitrum',
    decimals: 6,
    contract: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 32,
    symbol: 'USDT',
    name: 'USDT0',
    network: 'arbitrum',
    decimals: 6,
    contract: '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 33,
    symbol: 'DAI',
    name: 'Dai (Maker bridge)',
    network: 'arbitrum',
    decimals: 18,
    contract: '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 40,
    symbol: 'POL',
    name: 'POL',
    network: 'polygon',
    decimals: 18,
    minimum: '1',
    depositMax: '100000000000',
    isStable: false,
  },
  {
    id: 41,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'polygon',
    decimals: 6,
    contract: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 42,
    symbol: 'USDT',
    name: 'USDT0',
    network: 'polygon',
    decimals: 6,
    contract: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 43,
    symbol: 'DAI',
    name: 'Dai (Polygon bridge)',
    network: 'polygon',
    decimals: 18,
    contract: '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 50,
    symbol: 'BNB',
    name: 'BNB',
    network: 'bsc',
    decimals: 18,
    minimum: '0.001',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 51,
    symbol: 'USDC',
    name: 'Binance-Peg USD Coin',
    network: 'bsc',
    decimals: 18,
    contract: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 52,
    symbol: 'USDT',
    name: 'Binance-Peg Tether USD',
    network: 'bsc',
    decimals: 18,
    contract: '0x55d398326f99059ff775485246999027b3197955',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 53,
    symbol: 'DAI',
    name: 'Binance-Peg Dai',
    network: 'bsc',
    decimals: 18,
    contract: '0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 60,
    symbol: 'ETH',
    name: 'Ether',
    network: 'optimism',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 61,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'optimism',
    decimals: 6,
    contract: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 62,
    symbol: 'USDT',
    name: 'USDT0',
    network: 'optimism',
    decimals: 6,
    contract: '0x01bff41798a0bcf287b996046ca68b395dbc1071',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 63,
    symbol: 'DAI',
    name: 'Dai (Maker bridge)',
    network: 'optimism',
    decimals: 18,
    contract: '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 70,
    symbol: 'AVAX',
    name: 'Avalanche',
    network: 'avalanche',
    decimals: 18,
    minimum: '0.02',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 71,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'avalanche',
    decimals: 6,
    contract: '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 72,
    symbol: 'USDT',
    name: 'Tether USD',
    network: 'avalanche',
    decimals: 6,
    contract: '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 73,
    symbol: 'EURC',
    name: 'Euro Coin',
    network: 'avalanche',
    decimals: 6,
    contract: '0xc891eb4cbdeff6e073e859e987815ed1505c2acd',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 80,
    symbol: 'XDAI',
    name: 'xDAI',
    network: 'gnosis',
    decimals: 18,
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
  {
    id: 90,
    symbol: 'ETH',
    name: 'Ether',
    network: 'linea',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000000',
    isStable: false,
  },
  {
    id: 91,
    symbol: 'USDC',
    name: 'USD Coin',
    network: 'linea',
    decimals: 6,
    contract: '0x176211869ca2b568f2a7d4ee941e073a821ee1ff',
    minimum: '0.5',
    depositMax: '1000000000000',
    isStable: true,
  },
]

const usd = (amount: string): bigint => decimal(amount, usdDecimals)

/**
 * Returns the tiers for deposits up to 100 USD, for deposits up to 10,000 USD, and for larger deposits. The
 * parameters are numbers of blocks.
 */
function byAmount(small: number, medium: number, large: number): readonly ConfirmationTier[] {
  return [
    { uptoUsd: usd('100'), confirmations: small },
    { uptoUsd: usd('10000'), confirmations: medium },
    { uptoUsd: undefined, confirmations: large, needsFinality: true },
  ]
}

/** On a dev chain, two confirmations are enough. */
export const devTiers: readonly ConfirmationTier[] = [{ uptoUsd: undefined, confirmations: 2 }]
const tiers: Record<ShippedNetworkName, readonly ConfirmationTier[]> = {
  // Large deposits wait for finality, which takes two epochs (64 blocks).
  ethereum: byAmount(6, 12, 64),
  // A rollup's sequencer orders blocks at once, and they are final when the chain below is. These are 20
  // seconds, 5 minutes and 20 minutes.
  base: byAmount(100, 1_500, 6_000),
  optimism: byAmount(10, 150, 600),
  linea: byAmount(10, 150, 600),
  arbitrum: byAmount(80, 1_200, 4_800),
  // Polygon had a reorganisation of 157 blocks on 23 February 2023. Milestones make blocks final since then.
  polygon: byAmount(16, 64, 256),
  // Finality lags if attestations fail. Blocks are then final after 11 to 15 turns of a validator.
  bsc: byAmount(20, 60, 240),
  avalanche: byAmount(2, 4, 8),
  gnosis: byAmount(6, 24, 64),
  bitcoin: byAmount(1, 2, 6),
  // Litecoin had a reorganisation of 13 blocks on 25 April 2026.
  litecoin: byAmount(3, 12, 24),
  dogecoin: byAmount(6, 20, 60),
}

/** A token contract on a dev chain, its address in canonical form. */
export interface DevToken {
  readonly network: string
  readonly symbol: string
  readonly contract: string
}

/** Returns the catalogue with the token contracts of the mainnets. */
export function mainPaymentMethods(): readonly PaymentMethod[] {
  return catalogue.map((row) => fromRow(row, row.contract, tiers[row.network]))
}

/**
 * Returns the catalogue for dev chains, with the token contracts of these chains and two confirmations. A
 * token that is not deployed on its dev chain is left out.
 */
export function devPaymentMethods(tokens: readonly DevToken[]): readonly PaymentMethod[] {
  return catalogue.flatMap((row) => {
    if (row.contract === undefined) return [fromRow(row, undefined, devTiers)]
    const token = tokens.find(({ network, symbol }) => network === row.network && symbol === row.symbol)
    return token === undefined ? [] : [fromRow(row, token.contract, devTiers)]
  })
}

function fromRow(
  row: CatalogueRow,
  contract: string | undefined,
  confirmationTiers: readonly ConfirmationTier[],
): PaymentMethod {
  const network: Network = networks[row.network]
  const isMirror =
    network.family === 'evm' && contract !== undefined && network.coinMirrors.includes(contract)
  assert(!isMirror, `${contract} repeats each payment of the coin of ${row.network}`)
  return {
    id: row.id,
    symbol: row.symbol,
    name: row.name,
    network: network.name,
    asset: `${row.network}/${row.symbol}`,
    decimals: row.decimals,
    contract,
    minimumMinor: decimal(row.minimum, row.decimals),
    isPlain: row.isPlain ?? false,
    isCreditable: row.isCreditable ?? true,
    depositMaxMinor: decimal(row.depositMax, row.decimals),
    isStable: row.isStable,
    confirmationTiers,
    hasFinality: network.family === 'evm',
  }
}
