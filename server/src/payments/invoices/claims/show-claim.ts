import type { KeyObject } from 'node:crypto'
import type { Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { claimToken, opensClaim, sealedClaimContext } from './claim.ts'
import { findClaimKept } from './store.ts'

/** The keys from which claim tokens are derived, and the sealer that encrypts and decrypts stored tokens. */
export interface ClaimKeys {
  readonly claimKey: KeyObject
  /** The claim key that was derived from a former ENCRYPTION_KEY. */
  readonly formerClaimKey?: KeyObject | undefined
  readonly sealer: Sealer
}

/**
 * Returns the claim token of a withdraw invoice. If ENCRYPTION_KEY was changed after the invoice was created,
 * the result is still the token that the payee may already have. If the claim ended before that change, the
 * returned token is not valid.
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
