/** Checks that no payment is credited before it has enough confirmations. */
import type { ModelAsset } from './model.ts'

/** A payment that the service has credited according to its records. */
export interface CreditedPayment {
  readonly txHash: string
  readonly asset: ModelAsset
  readonly amountMinor: bigint
}

/** On a UTXO network, a payment worth at most this amount may be credited after one block. */
const smallUsd = 100n
/** The prices in USD that the simulation supplies to the service. */
const priceUsd: Readonly<Record<string, bigint>> = { 'bitcoin/BTC': 60_000n, 'litecoin/LTC': 80n }

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

function neededFor({ asset: { name, decimals }, amountMinor }: CreditedPayment): number {
  const price = priceUsd[name]
  if (price === undefined) return 2
  return amountMinor * price <= smallUsd * 10n ** BigInt(decimals) ? 1 : 3
}
