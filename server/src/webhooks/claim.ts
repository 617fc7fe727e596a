import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { type ClaimedDelivery, claimLocked, lockCandidates, type Share } from './claim-store.ts'
import type { Endpoint } from './deliver.ts'
import { loadEndpoints } from './store.ts'

/** The id of the merchant after which the next claim continues, so that every merchant gets its turn. */
export type ClaimCursor = string
export const firstCursor: ClaimCursor = '00000000-0000-0000-0000-000000000000'

const everyone: Share = { isSlow: false, slowMerchantIds: [] }

export interface ClaimOptions {
  readonly rows: number
  readonly inFlightMax?: number
  readonly claimMs?: number
  readonly share?: Share
}

export interface Claim {
  readonly claimed: readonly ClaimedDelivery[]
  /**
   * The enabled endpoints by merchant, read in the transaction of the claim. If a merchant is not in this
   * map, its claimed deliveries are cancelled.
   */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /**
   * The position after the last merchant that was considered. Merchants that were skipped, because another
   * dispatcher was claiming for them, count as considered.
   */
  readonly next: ClaimCursor
}

/**
 * Claims up to `rows` due deliveries, spread evenly over the merchants that have due deliveries. All
 * dispatchers together claim at most `inFlightMax` deliveries of a merchant at a time. A claim expires at
 * `claimedUntil` (database time), so that another dispatcher takes over the deliveries of a killed
 * dispatcher.
 */
export async function claimDeliveries(
  db: Pick<Db, 'pool'>,
  cursor: ClaimCursor,
  options: ClaimOptions,
): Promise<Claim> {
  let from = cursor
  for (let isAnew = cursor === firstCursor; ; isAnew ||= from === firstCursor) {
    const claim = await claimFrom(db, from, options)
    if (claim.claimed.length > 0 || (isAnew && claim.next === firstCursor)) return claim
    // No delivery was claimed. Either other dispatchers are claiming for these merchants, or the search
    // reached the last merchant and must start again.
    from = claim.next
  }
}

function claimFrom(db: Pick<Db, 'pool'>, after: ClaimCursor, options: ClaimOptions): Promise<Claim> {
  const rows = Math.min(options.rows, limits.deliveryClaimRows)
  const inFlightMax = options.inFlightMax ?? limits.deliveriesPerEndpoint
  const share = options.share ?? everyone
  const claimMs = options.claimMs ?? limits.deliveryClaimMs
  return inTransaction(db, async (tx) => {
    const candidates = { after, merchants: rows, inFlightMax, share }
    const { lockedIds: merchantIds, stoppedAt: next = firstCursor } = await lockCandidates(tx, candidates)
    if (merchantIds.length === 0) return { claimed: [], endpoints: new Map(), next }
    const perMerchant = Math.floor(rows / merchantIds.length)
    const claimed = await claimLocked(tx, { merchantIds, perMerchant, inFlightMax, claimMs })
    return { claimed, endpoints: await loadEndpoints(tx, merchantIds), next }
  })
}
