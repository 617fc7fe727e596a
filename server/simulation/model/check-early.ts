/** Payments must not be credited before they have enough confirmations. */
import type { ModelAsset } from './model.ts'

/** A payment that the service says it has credited. */
export interface CreditedPayment {
  readonly txHash: string
  readonly asset: ModelAsset
  readonly amountMinor: bigint
}

/** Up to this worth, a payment in coins may be credited after one block. */
const smallUsd = 100n
/** The prices that the service is given. */
const priceUsd: Readonly<Record<string, bigint>> = { 'bitcoin/BTC': 60_000n, 'litecoin/LTC': 80n }

/** @param deepestOf returns the most confirmations that a transaction ever had */
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
