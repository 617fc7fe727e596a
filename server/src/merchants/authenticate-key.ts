import { isWithinRanges } from '../core/network-address.ts'
import type { Queryable } from '../db/pool.ts'
import type { Access, Authentication } from '../http/auth.ts'
import { apiKeyHash } from './api-key.ts'
import type { LastUsed } from './last-used.ts'
import { findKeyAccess } from './store.ts'

/**
 * Whose key it is and whether it opens `merchantId`; undefined when no merchant has it. From an address outside the
 * merchant's IP list it opens nothing.
 */
export async function authenticateKey(
  { db, lastUsed }: { readonly db: Queryable; readonly lastUsed: LastUsed },
  key: string,
  merchantId: string | undefined,
  clientAddress: string,
): Promise<Authentication | undefined> {
  const hash = apiKeyHash(key)
  const found = hash === undefined ? undefined : await findKeyAccess(db, hash)
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
