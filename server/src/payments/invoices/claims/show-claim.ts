import type { KeyObject } from 'node:crypto'
import type { Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { claimToken, opensClaim, sealedClaimContext } from './claim.ts'
import { findClaimKept } from './store.ts'

/** The keys that tokens were made with, and what opens those made before. */
export interface ClaimKeys {
  readonly claimKey: KeyObject
  /** Of a former ENCRYPTION_KEY. */
  readonly formerClaimKey?: KeyObject | undefined
  readonly sealer: Sealer
}

/**
 * The token of a withdraw invoice: the one that its payee may have already, whichever key it was made with. Of a claim
 * that ended before the key was changed, a token that opens nothing.
 */
export async function showClaimToken(
  keys: ClaimKeys & { readonly db: Queryable },
  invoiceId: string,
): Promise<string> {
  const { claimKey, formerClaimKey, sealer } = keys
  const current = claimToken(claimKey, invoiceId)
  const kept = await findClaimKept(keys.db, invoiceId)
  if (kept === undefined || opensClaim(kept.claimHash, current)) return current
  if (kept.sealedToken !== null) return sealer.open(kept.sealedToken, sealedClaimContext(invoiceId)).reveal()
  const former = formerClaimKey && claimToken(formerClaimKey, invoiceId)
  return former !== undefined && opensClaim(kept.claimHash, former) ? former : current
}
