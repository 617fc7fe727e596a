import { max, min } from '../../../core/money.ts'
import type { SealedSums } from '../../../ledger/sealed-balance.ts'
import type { Queued } from './store.ts'

/**
 * The queue with no purse larger than what sealed history says its merchant has. Totals of accounts are rows that a writer of
 * the database can raise. Where more was held than ever was available, totals were raised before: nothing is covered then.
 * A merchant whose history is not known waits. Pure.
 * @param sealed by merchant
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
    const owes = queued.owes || [...sums.values()].some(({ suspenseMinor }) => suspenseMinor < 0n)
    return { ...queued, owes, purse }
  })
}
