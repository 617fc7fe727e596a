import { max, min } from '../../../core/money.ts'
import type { SealedSums } from '../../../ledger/sealed-balance.ts'
import type { Queued } from './store.ts'

/**
 * Limits the money of each order's merchant (`purse`) to the amount that the sealed history shows. Whoever
 * can write to the database can raise the stored balances of accounts, but not the sealed history. A negative
 * available balance in the sealed history shows that more was taken from the balance than it contained.
 * Somebody must have raised the stored balance before. No order of the merchant in that asset is then
 * covered. If a merchant's sealed history is not known, the merchant's orders wait. Pure.
 * @param sealed the sealed sums, by merchant
 */
export function boundQueue(
  queue: readonly Queued[],
  sealed: ReadonlyMap<string, SealedSums>,
): readonly Queued[] {
  return queue.map((queued): Queued => {
    const { merchantId, asset } = queued.withdrawal
    const sums = sealed.get(merchantId)
    if (sums === undefined) return { ...queued, isSealed: false }
    const { availableMinor = 0n, moneyMinor = 0n } = sums.get(asset) ?? {}
    const sealedMinor = availableMinor < 0n ? 0n : max(moneyMinor, 0n)
    const purse = { ...queued.purse, bookedMinor: min(queued.purse.bookedMinor, sealedMinor) }
    const owes = queued.owes || [...sums.values()].some(({ receivableMinor }) => receivableMinor < 0n)
    return { ...queued, owes, purse }
  })
}
