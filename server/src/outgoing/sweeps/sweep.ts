/** Bringing money from deposit addresses to the hot lanes. Everything here is pure. */
import { divide } from '../../core/money.ts'

/**
 * planned: a transaction is to take it. funding: its address waits for the coin that pays for the transfer. sweeping: the
 * transaction is under way. completed: it is final and the money is on a lane. blocked: this one came to nothing; the money
 * lies where it was, and another collection takes it later.
 */
export const collectionStates = ['planned', 'funding', 'sweeping', 'completed', 'blocked'] as const
export type CollectionState = (typeof collectionStates)[number]

/** One merchant's share of what brings one asset in. */
export interface Collection {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  /** What is to be taken; once completed, what was. In the asset's smallest unit. */
  readonly amountMinor: bigint
  /** How many deposits it takes. */
  readonly transactions: number
  readonly state: CollectionState
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}

/** What lies on a deposit address in one asset, by the books. */
export interface Deposited {
  readonly addressId: number
  /** In canonical spelling. */
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly asset: string
  /** Undefined where the address is nobody's. */
  readonly merchantId: string | undefined
  readonly amountMinor: bigint
  /** All of this asset that the merchant has on its addresses and that could be taken. */
  readonly merchantMinor: bigint
  /** Of the oldest deposit that makes it up. */
  readonly confirmedAt: Date
  /** Whether it is for a `collect` invoice that still collects. */
  readonly isCollecting: boolean
}

/** When money is brought in that nobody waits for. */
export interface SweepPolicy {
  /** How many times its share of the network's fee an amount must be worth. */
  readonly worthFactor: bigint
  /** How long an amount waits for others to share the fee with while the network is not cheap. */
  readonly mergeS: number
  /** From that age on it is enough to be worth the share itself. */
  readonly ageS: number
}

export const sweepPolicies = {
  /** At once: there the coin costs nothing, and whoever tries things out wants to see them. */
  sandbox: { worthFactor: 1n, mergeS: 0, ageS: 0 },
  production: { worthFactor: 5n, mergeS: 60 * 60, ageS: 7 * 24 * 60 * 60 },
} as const satisfies Record<string, SweepPolicy>

/** One transaction takes from at most so many addresses: far below a block's gas. */
export const addressesPerSweep = 100

/** Gas of bringing money in: what a transaction costs whatever it moves, and what each address adds. */
export interface SweepGas {
  readonly baseGas: bigint
  readonly addressGas: bigint
}

/**
 * By delegation, the statement of an address that was never swept included. Above what docs/benchmarks.md measures with
 * the test tokens: those of the main chain check more.
 */
export const delegatedGas: SweepGas = { baseGas: 30_000n, addressGas: 45_000n }
/** By a top-up and a transfer of a token. */
export const toppedUpGas: SweepGas = { baseGas: 0n, addressGas: 21_000n + 50_000n }
/** By a plain transfer of the coin. */
export const transferGas: SweepGas = { baseGas: 0n, addressGas: 21_000n }

/** An asset's price and scale. */
export interface Priced {
  /** In 10^-12 USD per whole unit; undefined where none was taken lately. */
  readonly priceUsd: bigint | undefined
  readonly decimals: number
}

/**
 * What an amount is worth in the network's coin, in its smallest unit, rounded down; undefined without prices.
 */
export function worthInCoin(amountMinor: bigint, asset: Priced, coin: Priced): bigint | undefined {
  if (asset.priceUsd === undefined || coin.priceUsd === undefined || coin.priceUsd === 0n) return undefined
  const numerator = amountMinor * asset.priceUsd * 10n ** BigInt(coin.decimals)
  return divide(numerator, coin.priceUsd * 10n ** BigInt(asset.decimals), 'down')
}

/** How often what could not be taken from an address is tried again by itself, and after how long. */
const retriesS: readonly number[] = [60, 10 * 60, 60 * 60, 6 * 60 * 60, 24 * 60 * 60]

/** Seconds until the next try after `tries` that came to nothing; undefined where only an operator starts another. */
export function retryAfterS(tries: number): number | undefined {
  return retriesS[tries - 1]
}

/** An address is given coin for its own transfers at most so often in 24 hours, whoever spends it. */
export const topUpsPerDay = 3
