import { limits } from '../core/limits.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { type ClaimedDelivery, claimLocked, lockCandidates, type Share } from './store.ts'

/** Where the next claim goes on among the merchants, so that each gets its turn. */
export type ClaimPlace = string
export const firstPlace: ClaimPlace = '00000000-0000-0000-0000-000000000000'

const everyone: Share = { isSlow: false, slowMerchantIds: [] }

export interface Claim {
  readonly claimed: readonly ClaimedDelivery[]
  readonly next: ClaimPlace
}

/**
 * Takes up to `rows` due deliveries, spread evenly over the merchants that have some, never more than
 * `inFlightMax` of a merchant at once over all dispatchers. A claim ends by itself at `claimedUntil` (database
 * time): what a killed dispatcher held is taken by another then.
 */
export async function claimDeliveries(
  db: Pick<Db, 'pool'>,
  place: ClaimPlace,
  options: { rows: number; inFlightMax?: number; claimMs?: number; share?: Share },
): Promise<Claim> {
  const rows = Math.min(options.rows, limits.deliveryClaimRows)
  const inFlightMax = options.inFlightMax ?? limits.deliveriesPerEndpoint
  const share = options.share ?? everyone
  const claimMs = options.claimMs ?? limits.deliveryClaimMs
  const claim = await inTransaction(db, async (tx) => {
    const merchantIds = await lockCandidates(tx, { after: place, merchants: rows, inFlightMax, share })
    const last = merchantIds.at(-1)
    if (last === undefined) return undefined
    const perMerchant = Math.floor(rows / merchantIds.length)
    const claimed = await claimLocked(tx, { merchantIds, perMerchant, inFlightMax, claimMs })
    return { claimed, next: merchantIds.length < rows ? firstPlace : last }
  })
  if (claim !== undefined) return claim
  // Nobody comes after that place: the round begins anew.
  return place === firstPlace ? { claimed: [], next: firstPlace } : claimDeliveries(db, firstPlace, options)
}
