import { type NetworkName, networks } from '../../chains/networks.ts'
import { decimal, usdDecimals } from '../../core/money.ts'
import type { ConfirmationTier, PaymentMethod } from './payment-method.ts'

interface CatalogueRow {
  readonly id: number
  readonly symbol: string
  readonly name: string
  readonly network: NetworkName
  readonly decimals: number
  /** On the network's main chain; a dev chain has its own. */
  readonly contract?: string
  readonly minimum: string
  /** More than anybody pays at once, and at least as much as there is of a coin: a larger transfer is not believed. */
  readonly depositMax: string
  readonly isStable: boolean
  /** Of a token whose code was read: see `PaymentMethod`. A new one is not until somebody has. */
  readonly isPlain?: boolean
}

/** Every payment method there is. Ids are for ever: 1 to 9 as below, others from 10 on by network. */
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
    // Fails where its issuer paused it or listed the sender, and calls nobody.
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
    // Fails where its issuer paused it or listed either side, and calls nobody.
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
]

const usd = (amount: string): bigint => decimal(amount, usdDecimals)

/** Blocks for up to 100 USD, for up to 10,000 USD, and above. */
function byAmount(small: number, medium: number, large: number): readonly ConfirmationTier[] {
  return [
    { uptoUsd: usd('100'), confirmations: small },
    { uptoUsd: usd('10000'), confirmations: medium },
    { uptoUsd: undefined, confirmations: large, needsFinality: true },
  ]
}

/** Two blocks, as a dev chain needs no more; large sums wait for the chain's finality (64 blocks: two epochs). */
const devTiers: readonly ConfirmationTier[] = [{ uptoUsd: undefined, confirmations: 2 }]
const tiers: Record<NetworkName, readonly ConfirmationTier[]> = {
  ethereum: [
    { uptoUsd: usd('100'), confirmations: 6 },
    { uptoUsd: usd('10000'), confirmations: 12 },
    { uptoUsd: undefined, confirmations: 64, needsFinality: true },
  ],
  bitcoin: byAmount(1, 2, 6),
  // A reorganisation of 13 blocks was seen on 25 April 2026.
  litecoin: byAmount(3, 12, 24),
  dogecoin: byAmount(6, 20, 60),
}

/** A token contract of a dev chain, in canonical spelling. */
export interface DevToken {
  readonly network: string
  readonly symbol: string
  readonly contract: string
}

/** The catalogue on main chains. */
export function mainPaymentMethods(): readonly PaymentMethod[] {
  return catalogue.map((row) => fromRow(row, row.contract, tiers[row.network]))
}

/** The catalogue on a dev chain: its own contracts and two confirmations; a token not deployed there is left out. */
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
  return {
    id: row.id,
    symbol: row.symbol,
    name: row.name,
    network: networks[row.network].name,
    asset: `${row.network}/${row.symbol}`,
    decimals: row.decimals,
    contract,
    minimumMinor: decimal(row.minimum, row.decimals),
    isPlain: row.isPlain ?? false,
    depositMaxMinor: decimal(row.depositMax, row.decimals),
    isStable: row.isStable,
    confirmationTiers,
  }
}
