import { type FieldError, fail } from '../core/errors.ts'
import { canonicalAddressRange, isWithinRanges } from '../core/network-address.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { emptyIpList, findMerchant, replaceIpList } from './store.ts'

export interface IpListOwner {
  readonly accountId: string
  readonly merchantId: string
}

/**
 * Restricts the merchant's API key to these addresses. The list takes effect at once in every process,
 * because each process reads the list together with the key. Bearer tokens are never restricted, so that
 * nobody can lock themselves out.
 * @returns the list as stored: in canonical form, without duplicates.
 * @throws Problem `invalid-request` or `not-found`.
 */
export async function setIpList(
  db: Db,
  { accountId, merchantId }: IpListOwner,
  entries: readonly string[],
): Promise<readonly string[]> {
  const ipAddresses = canonicalList(entries)
  await inTransaction(db, async (tx) => {
    if (!(await replaceIpList(tx, merchantId, ipAddresses))) throw fail('not-found', 'No such merchant.')
    const entry = { accountId, merchantId, subject: merchantId, details: { ipAddresses } }
    await recordAudit(tx, { ...entry, action: 'merchant.ip_list_set' })
  })
  return ipAddresses
}

export interface ShownIpList {
  readonly ipAddresses: string[]
  readonly yourAddress: string
  readonly locksYouOut: boolean
}

/**
 * Returns the stored list, and whether a list locks out the caller. For this check, `tried` is taken, or the
 * stored list if `tried` is undefined. A list locks out the caller if it does not accept the API key from the
 * caller's address.
 * @throws Problem `invalid-request` or `not-found`.
 */
export async function showIpList(
  db: Db,
  merchantId: string,
  { address, tried }: { readonly address: string; readonly tried: readonly string[] | undefined },
): Promise<ShownIpList> {
  const candidate = tried && canonicalList(tried, 'query/ipAddresses')
  const merchant = await findMerchant(db, merchantId)
  if (merchant === undefined) throw fail('not-found', 'No such merchant.')
  const { ipWhitelist } = merchant.settings
  const list = candidate ?? ipWhitelist
  const locksYouOut = list.length > 0 && !isWithinRanges(address, list)
  return { ipAddresses: [...ipWhitelist], yourAddress: address, locksYouOut }
}

/** Removes the restriction, so that the API key works from any address. */
export async function removeIpList(db: Db, { accountId, merchantId }: IpListOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await emptyIpList(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'merchant.ip_list_removed', subject: merchantId })
  })
}

function canonicalList(entries: readonly string[], pointer = '/ipAddresses'): readonly string[] {
  const read = entries.map((entry) => canonicalAddressRange(entry.trim()))
  const errors = read.flatMap((range, index): FieldError[] =>
    range === undefined ? [{ pointer: `${pointer}/${index}`, detail: malformed }] : [],
  )
  if (errors.length > 0) {
    const detail = errors.map((error) => `${error.pointer} ${error.detail}`).join('; ')
    throw fail('invalid-request', `${detail}.`, { errors })
  }
  return [...new Set(read.flatMap((range) => range ?? []))]
}

const malformed =
  'must be an IPv4 or IPv6 address or a CIDR range such as 192.0.2.0/24, without leading zeros or a zone'
