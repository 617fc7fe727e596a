import { limits } from '../core/limits.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { type ClaimedDelivery, claimLocked, lockCandidates, type Share } from './store.ts'

/** Where the next claim goes on among the merchants, so that each gets its turn. */
export type ClaimPlace = string
export const firstPlace: ClaimPlace = '00000000-0000-0000-0000-000000000000'

const everyone: Share = { isSlow: false, slowMerchantIds: [] }

export interface ClaimOptions {
  readonly rows: number
  readonly inFlightMax?: number
  readonly claimMs?: number
  readonly share?: Share
}

export interface Claim {
  readonly claimed: readonly ClaimedDelivery[]
  /** After the last merchant that was looked at, whether or not another dispatcher was claiming for it. */
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
  options: ClaimOptions,
): Promise<Claim> {
  let from = place
  for (let isAnew = place === firstPlace; ; isAnew ||= from === firstPlace) {
    const { claimed, next } = await claimFrom(db, from, options)
    if (claimed.length > 0 || (isAnew && next === firstPlace)) return { claimed, next }
    // Nobody is left here whom another dispatcher is not claiming for.
    from = next
  }
}

function claimFrom(db: Pick<Db, 'pool'>, after: ClaimPlace, options: ClaimOptions): Promise<Claim> {
  const rows = Math.min(options.rows, limits.deliveryClaimRows)
  const inFlightMax = options.inFlightMax ?? limits.deliveriesPerEndpoint
  const share = options.share ?? everyone
  const claimMs = options.claimMs ?? limits.deliveryClaimMs
  return inTransaction(db, async (tx) => {
    const candidates = { after, merchants: rows, inFlightMax, share }
    const { lockedIds: merchantIds, stoppedAt: next = firstPlace } = await lockCandidates(tx, candidates)
    if (merchantIds.length === 0) return { claimed: [], next }
    const perMerchant = Math.floor(rows / merchantIds.length)
    return { claimed: await claimLocked(tx, { merchantIds, perMerchant, inFlightMax, claimMs }), next }
  })
}
