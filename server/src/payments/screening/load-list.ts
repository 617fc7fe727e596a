import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { dropList, findList, forgetAddresses, lockList, renewList, replaceList } from './list-store.ts'
import type { ListSource } from './open-source.ts'
import { readList } from './read-list.ts'
import { type CanonicalOf, fold, type ListedAddress, replacementFault } from './sanctions-list.ts'

export interface LoadListParts {
  readonly db: Db
  readonly families: readonly CanonicalOf[]
}

/** What a reading of the list changed. */
export interface LoadedList {
  /** False where the content was the same as before. */
  readonly isNew: boolean
  readonly addressCount: number
  readonly countBefore: number
}

/** The list was read and is not to be believed; the one before stays in force. */
export class ListRefusedError extends Error {
  override readonly name = 'ListRefusedError'
}

/**
 * Reads a list whole and puts it in force, in one transaction: at no moment is less than one list looked at.
 * @param isForced whether to take one that names no address, or fewer than half of those before
 * @throws ListFormatError, ListRefusedError; the file's or the server's error
 */
export async function loadList(
  { db, families }: LoadListParts,
  { name: source, freshAt, chunks }: ListSource,
  isForced = false,
): Promise<LoadedList> {
  const { entries, sha256 } = await readList(chunks)
  const addresses = fold(families, entries)
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
  const fault = replacementFault(countBefore, addressCount)
  if (fault !== undefined && !isForced) {
    throw new ListRefusedError(
      `the list at ${reading.source} was not taken: ${fault}. Where that is right, load it with --force.`,
    )
  }
  const id = await replaceList(tx, reading, addresses)
  const sha256 = reading.sha256.toString('hex')
  const details = { source: reading.source, sha256, addressCount, countBefore, isForced }
  await recordAudit(tx, { action: 'sanctions_list.loaded', subject: id, details })
  return { isNew: true, addressCount, countBefore }
}

/** Ends the list in force; nothing is screened by one until the next is loaded. False where there is none. */
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
