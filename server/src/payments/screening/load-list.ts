import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { dropList, findList, forgetAddresses, lockList, renewList, replaceList } from './list-store.ts'
import type { ListSource } from './open-source.ts'
import { readList } from './read-list.ts'
import { type CanonicalOf, type ListedAddress, mergeEntries, replacementError } from './sanctions-list.ts'

export interface LoadListParts {
  readonly db: Db
  readonly families: readonly CanonicalOf[]
}

/** The result of loading a list. */
export interface LoadedList {
  /** False if the content is the same as the content of the previous list. */
  readonly isNew: boolean
  readonly addressCount: number
  readonly countBefore: number
}

/** Thrown if the new list could be read but is not plausible. The previous list stays in force. */
export class ListRefusedError extends Error {
  override readonly name = 'ListRefusedError'
}

/**
 * Reads a whole list and puts it in force in one transaction, so that screening never sees an incomplete
 * list.
 * @param isForced Whether to accept a list without addresses, or with fewer than half as many addresses as
 * before.
 * @throws ListFormatError, ListRefusedError; the error of the file or of the server
 */
export async function loadList(
  { db, families }: LoadListParts,
  { name: source, freshAt, chunks }: ListSource,
  isForced = false,
): Promise<LoadedList> {
  const { entries, sha256 } = await readList(chunks)
  const addresses = mergeEntries(families, entries)
  return inTransaction(db, (tx) => putInForce(tx, { source, freshAt, sha256 }, addresses, isForced))
}

async function putInForce(
  tx: Tx,
  reading: { readonly source: string; readonly freshAt: Date; readonly sha256: Buffer },
  addresses: readonly ListedAddress[],
  isForced: boolean,
): Promise<LoadedList> {
  await lockList(tx)
  const before = await findList(tx)
  const addressCount = addresses.length
  const countBefore = before?.addressCount ?? 0
  if (before?.sha256.equals(reading.sha256)) {
    await renewList(tx, before.id, reading)
    return { isNew: false, addressCount, countBefore }
  }
  const error = replacementError(countBefore, addressCount)
  if (error !== undefined && !isForced) {
    throw new ListRefusedError(
      `the list at ${reading.source} was rejected: ${error}. If the list is correct, load it with --force.`,
    )
  }
  const id = await replaceList(tx, reading, addresses)
  const sha256 = reading.sha256.toString('hex')
  const details = { source: reading.source, sha256, addressCount, countBefore, isForced }
  await recordAudit(tx, { action: 'sanctions_list.loaded', subject: id, details })
  return { isNew: true, addressCount, countBefore }
}

/**
 * Stops the use of the list in force. No list is used for screening until another list is loaded. Returns
 * false if no list was in force.
 */
export async function unloadList({ db }: Pick<LoadListParts, 'db'>): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockList(tx)
    const before = await findList(tx)
    if (before === undefined) return false
    await dropList(tx)
    await forgetAddresses(tx)
    const details = { source: before.source, addressCount: before.addressCount }
    await recordAudit(tx, { action: 'sanctions_list.unloaded', subject: before.id, details })
    return true
  })
}
