/**
 * Credits that stay although the payments of their invoice no longer reach the minimum, because a reorganisation dropped
 * another payment. Coffer checks the minimum when a payment is confirmed, and takes a credit back only with its own
 * payment.
 */
import type { ModelAsset } from './asset.ts'
import { neededFor } from './check-early.ts'
import type { CheckedWorld } from './checked-world.ts'
import { creditedPayments, feeOf } from './model.ts'
import { lostTransfers } from './transfers.ts'

/** Returns the highest number of confirmations that a transaction ever had. */
export type DeepestOf = (network: string, txHash: string) => number

/**
 * Returns the credits that each merchant may have beyond those of `creditsOf`: one for each payment on the chain to an
 * invoice that reached the minimum only with payments which a reorganisation dropped, and one for each payment whose
 * merchant asked for the credit and got no answer. A dropped payment counts only if it had enough confirmations to be
 * credited.
 */
export function lastingCredits(
  { model, chains, ours, transfers }: Pick<CheckedWorld, 'model' | 'chains' | 'ours' | 'transfers'>,
  asset: ModelAsset,
  deepestOf: DeepestOf,
): ReadonlyMap<string, readonly bigint[]> {
  const lost = chains
    .flatMap((chain) => lostTransfers(chain, ours))
    .filter(
      ({ network, txHash, amountMinor }) =>
        deepestOf(network, txHash) >= neededFor({ asset, amountMinor, lowestUsd: undefined }),
    )
  const credited = new Set(creditedPayments(model, asset, transfers).flatMap(({ payments }) => payments))
  const onChain = new Set(transfers)
  const lasting = new Map<string, bigint[]>()
  for (const { merchantId, payments } of creditedPayments(
    model,
    asset,
    [...transfers, ...lost],
    'possible',
  )) {
    const own = payments.filter((one) => onChain.has(one) && !credited.has(one))
    const netsMinor = own.map(({ amountMinor }) => amountMinor - feeOf(amountMinor, asset))
    lasting.set(merchantId, [...(lasting.get(merchantId) ?? []), ...netsMinor])
  }
  return lasting
}

/** Returns whether the sum of some of the amounts, of all or of none is `wantedMinor`. */
export function isSumOfSome(amountsMinor: readonly bigint[], wantedMinor: bigint): boolean {
  const sums = new Set([0n])
  for (const amountMinor of amountsMinor) for (const one of [...sums]) sums.add(one + amountMinor)
  return sums.has(wantedMinor)
}
