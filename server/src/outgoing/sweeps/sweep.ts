/** Types and rules of sweeps from deposit addresses to the hot wallets. Everything here is pure. */
import { divide } from '../../core/money.ts'

/**
 * The states of a merchant sweep. `planned`: a transaction is to take the deposits. `funding`: the address
 * waits for the coin that pays for its transfer. `sweeping`: the transaction is sent. `completed`: the
 * transaction is final, and the money is in a hot wallet. `blocked`: this sweep failed. The money is still on
 * the deposit address, and another sweep takes it later.
 */
export const merchantSweepStates = ['planned', 'funding', 'sweeping', 'completed', 'blocked'] as const
export type MerchantSweepState = (typeof merchantSweepStates)[number]

/** One merchant's share of a sweep of one asset. */
export interface MerchantSweep {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  /**
   * The amount that the sweep is to move or, once the sweep is completed, the amount that it moved. In the
   * asset's smallest unit.
   */
  readonly amountMinor: bigint
  /** The number of deposits that the sweep takes. */
  readonly transactions: number
  readonly state: MerchantSweepState
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}

/** The money on a deposit address in one asset, according to the books. */
export interface Deposited {
  readonly addressId: number
  /** The address in canonical form. */
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly asset: string
  /** Undefined if the address belongs to no merchant. */
  readonly merchantId: string | undefined
  readonly amountMinor: bigint
  /** The total of this asset that could be swept from all of the merchant's addresses. */
  readonly merchantMinor: bigint
  /** When the oldest of these deposits was confirmed. */
  readonly confirmedAt: Date
  /** Whether the address belongs to a `collect` invoice that still collects. */
  readonly isCollecting: boolean
}

/** Rules for sweeping money that no withdrawal waits for. */
export interface SweepPolicy {
  /** An amount must be worth this many times its share of the network fee. */
  readonly worthFactor: bigint
  /** While network fees are not low, an amount waits this many seconds for others to share the fee. */
  readonly mergeS: number
  /** An amount that is at least this old, in seconds, only has to be worth its share of the fee. */
  readonly ageS: number
}

export const sweepPolicies = {
  /**
   * In the sandbox, deposits are swept at once: the coin costs nothing, and users who try Coffer want to see
   * sweeps.
   */
  sandbox: { worthFactor: 1n, mergeS: 0, ageS: 0 },
  production: { worthFactor: 5n, mergeS: 60 * 60, ageS: 7 * 24 * 60 * 60 },
} as const satisfies Record<string, SweepPolicy>

/**
 * The maximum number of addresses in one sweep. A transaction with this many stays far below the gas limit of
 * a block.
 */
export const addressesPerSweep = 100

/** The gas of a sweep: the base cost of a transaction, and the cost that each address adds. */
export interface SweepGas {
  readonly baseGas: bigint
  readonly addressGas: bigint
}

/**
 * The cost of the bytes of a sweep in addition to its gas, in the coin's smallest unit: of a transaction, and
 * of each address in it. 0 on networks that charge for gas alone.
 */
export interface AddressedFee {
  readonly baseMinor: bigint
  readonly addressMinor: bigint
}

/**
 * Gas with delegation (EIP-7702), including the authorization of an address that was never swept. The values
 * are above those that docs/benchmarks.md measures with the test tokens, because tokens on mainnet do more
 * checks in a transfer.
 */
export const delegatedGas: SweepGas = { baseGas: 30_000n, addressGas: 45_000n }
/** Gas of a top-up, together with the transfer of a token that the top-up pays for. */
export const toppedUpGas: SweepGas = { baseGas: 0n, addressGas: 21_000n + 50_000n }
/** Gas of a plain transfer of the coin. */
export const transferGas: SweepGas = { baseGas: 0n, addressGas: 21_000n }

/** An asset's price and its number of decimals. */
export interface Priced {
  /** The price in 10^-12 USD per whole unit. Undefined if there is no recent price. */
  readonly priceUsd: bigint | undefined
  readonly decimals: number
}

/**
 * Returns the worth of an amount in the smallest unit of the network's coin, rounded down. Returns undefined
 * if a price is missing.
 */
export function worthInCoin(amountMinor: bigint, asset: Priced, coin: Priced): bigint | undefined {
  if (asset.priceUsd === undefined || coin.priceUsd === undefined || coin.priceUsd === 0n) return undefined
  const numerator = amountMinor * asset.priceUsd * 10n ** BigInt(coin.decimals)
  return divide(numerator, coin.priceUsd * 10n ** BigInt(asset.decimals), 'down')
}

/**
 * If a sweep could not move an asset from its address, it is tried again after these delays, in seconds. The
 * first delay comes before the first retry.
 */
const retriesS: readonly number[] = [60, 10 * 60, 60 * 60, 6 * 60 * 60, 24 * 60 * 60]

/**
 * Returns how many seconds to wait after the given number of failed tries; undefined if no further try starts
 * automatically.
 */
export function retryAfterS(tries: number): number | undefined {
  return retriesS[tries - 1]
}

/** Maximum number of top-ups of an address within 24 hours, even if other transactions used up the coin. */
export const topUpsPerDay = 3
