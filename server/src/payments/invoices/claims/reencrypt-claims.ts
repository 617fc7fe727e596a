import { firstId } from '../../../core/ids.ts'
import { type ReencryptedBatch, reseal } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { claimToken, opensClaim, sealedClaimContext } from './claim.ts'
import type { ClaimKeys } from './show-claim.ts'
import { readClaimsAfter, saveSealedTokens } from './store.ts'

/**
 * Encrypts the tokens of open claims under the current key, so that the tokens can be shown after the former
 * key is removed.
 */
export async function* reencryptClaims(
  parts: ClaimKeys & { readonly db: Queryable },
  rows: number,
): AsyncGenerator<ReencryptedBatch> {
  for (let after = firstId; ; ) {
    const read = await readClaimsAfter(parts.db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const found = read.map((claim) => ({ id: claim.id, sealed: sealedAnew(parts, claim) }))
    const changed = found.flatMap(({ id, sealed }) => (Buffer.isBuffer(sealed) ? [{ id, sealed }] : []))
    if (changed.length > 0) await saveSealedTokens(parts.db, changed)
    const foreign = found.filter(({ sealed }) => sealed === 'foreign').length
    yield { rows: read.length, changed: changed.length, foreign }
    after = last.id
  }
}

interface OpenClaim {
  readonly id: string
  readonly claimHash: Buffer | null
  readonly sealedToken: Buffer | null
}

function sealedAnew(
  { sealer, claimKey, formerClaimKey }: ClaimKeys,
  { id, claimHash, sealedToken }: OpenClaim,
): Buffer | 'current' | 'foreign' {
  if (sealedToken !== null) return reseal(sealer, sealedToken, sealedClaimContext(id))
  if (claimHash === null || opensClaim(claimHash, claimToken(claimKey, id))) return 'current'
  const former = formerClaimKey && claimToken(formerClaimKey, id)
  if (former === undefined || !opensClaim(claimHash, former)) return 'foreign'
  return sealer.seal(former, sealedClaimContext(id))
}
