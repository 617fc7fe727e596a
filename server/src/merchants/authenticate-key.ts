import { Batches } from '../core/concurrency/batches.ts'
import { isWithinRanges } from '../core/network-address.ts'
import type { Queryable } from '../platform/db/pool.ts'
import type { Access, Authentication } from '../platform/http/auth.ts'
import { apiKeyHash } from './api-key.ts'
import { findKeyAccess, type KeyAccess } from './key-store.ts'
import type { LastUsed } from './last-used.ts'

/** Looks up keys by their hashes. Concurrent requests share one query. Results are not cached. */
export type KeyLookUps = Batches<Buffer, KeyAccess | undefined>

export function openKeyLookUps(db: Queryable): KeyLookUps {
  return new Batches({
    concurrency: 2,
    itemsMax: 100,
    run: async (hashes) => {
      const found = await findKeyAccess(db, hashes)
      return (hash) => found.get(hash.toString('hex'))
    },
  })
}

/**
 * Returns the merchant of a key and the key's access to `merchantId`. Returns undefined if no merchant has
 * the key. A request from an address outside the merchant's IP list gets no access.
 */
export async function authenticateKey(
  { keyLookUps, lastUsed }: { readonly keyLookUps: KeyLookUps; readonly lastUsed: LastUsed },
  key: string,
  merchantId: string | undefined,
  clientAddress: string,
): Promise<Authentication | undefined> {
  const hash = apiKeyHash(key)
  const found = hash === undefined ? undefined : await keyLookUps.do(hash)
  if (hash === undefined || found === undefined) return undefined
  lastUsed.note(hash)
  const isAddressAllowed = found.ipWhitelist.length === 0 || isWithinRanges(clientAddress, found.ipWhitelist)
  const access = isAddressAllowed ? accessTo(merchantId, found.merchantId) : 'forbidden'
  return { caller: { type: 'key', merchantId: found.merchantId }, access }
}

function accessTo(merchantId: string | undefined, ownId: string): Access {
  if (merchantId === undefined) return 'none'
  return merchantId === ownId ? 'allowed' : 'forbidden'
}
