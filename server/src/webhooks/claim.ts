import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { type ClaimedDelivery, claimLocked, lockCandidates, type Share } from './claim-store.ts'
import type { Endpoint } from './deliver.ts'
import { loadEndpoints } from './store.ts'

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
  /** By merchant, of those who have one that is not disabled. Read with the claim: a delivery to a merchant that is absent here is cancelled. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
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
    const claim = await claimFrom(db, from, options)
    if (claim.claimed.length > 0 || (isAnew && claim.next === firstPlace)) return claim
    // Nobody is left here whom another dispatcher is not claiming for.
    from = claim.next
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
    if (merchantIds.length === 0) return { claimed: [], endpoints: new Map(), next }
    const perMerchant = Math.floor(rows / merchantIds.length)
    const claimed = await claimLocked(tx, { merchantIds, perMerchant, inFlightMax, claimMs })
    return { claimed, endpoints: await loadEndpoints(tx, merchantIds), next }
  })
}
