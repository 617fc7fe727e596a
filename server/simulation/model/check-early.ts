/** Checks that no payment is credited before it has enough confirmations. */
import type { ModelAsset } from './asset.ts'

/** A payment that the service has credited according to its records. */
export interface CreditedPayment {
  readonly txHash: string
  readonly asset: ModelAsset
  readonly amountMinor: bigint
  /** The lowest price that the service ever read, in 10^-12 USD for a whole unit. */
  readonly lowestUsd: bigint | undefined
}

/** On a UTXO network, a payment worth at most this amount may be credited after one block. */
const smallUsd = 100n
const smallPriceUsd = smallUsd * 10n ** 12n

/**
 * Returns one sentence for each payment that was credited too early.
 * @param deepestOf returns the highest number of confirmations that a transaction ever had
 */
export function findEarlyCredits(
  credited: readonly CreditedPayment[],
  deepestOf: (network: string, txHash: string) => number,
): readonly string[] {
  return credited.flatMap((payment) => {
    const { txHash, asset, amountMinor } = payment
    const had = deepestOf(asset.network, txHash)
    const needed = neededFor(payment)
    if (had >= needed) return []
    return [`a payment of ${amountMinor} ${asset.name} was credited after ${had} blocks of ${needed}`]
  })
}

/** Returns the number of confirmations that a payment needs at least. */
export function neededFor({
  asset: { family, decimals },
  amountMinor,
  lowestUsd = 0n,
}: Omit<CreditedPayment, 'txHash'>): number {
  if (family === 'evm') return 2
  return amountMinor * lowestUsd <= smallPriceUsd * 10n ** BigInt(decimals) ? 1 : 3
}
