/** Reads the chain of signed entries and puts one more at its end. */
import { fail } from '../../core/errors.ts'
import type { AuditAction } from '../../platform/audit/audit-entry.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { hasLost, lossIn, type ReadingParts, readOwnRows } from './own-rows.ts'
import { tokenName } from './own-token.ts'
import type { OwnChange, OwnRows, StoredEntry } from './signed-rows.ts'
import { insertEntry, lockEntries, readEntries } from './store.ts'

export interface EntryParts {
  readonly db: Db
  readonly keys: ReadingParts
  /** The number of the last entry that the operator knows. */
  readonly entryMin: number
  /** The operator's account; undefined for a command from the server's own shell. */
  readonly accountId?: string | undefined
}

/** The stored entries, and the rows that they state. */
export interface EntryChain {
  readonly stored: readonly StoredEntry[]
  readonly known: OwnRows
}

/** @throws Problem if signed entries are missing, because the next one would take the number of a missing one */
export async function readChain(
  on: Queryable,
  { keys, entryMin }: Pick<EntryParts, 'keys' | 'entryMin'>,
): Promise<EntryChain> {
  const stored = await readEntries(on)
  const known = readOwnRows(stored, keys)
  const loss = lossIn(known, entryMin)
  if (loss !== undefined) throw fail('invalid-request', loss)
  return { stored, known }
}

/** Reads the chain while no other transaction can add to it. @throws Problem if signed entries are missing */
export async function lockChain(tx: Tx, parts: EntryParts): Promise<EntryChain> {
  await lockEntries(tx)
  return readChain(tx, parts)
}

/**
 * Stores a signed entry with its audit entry. Returns the rows with it.
 * @throws Problem if no process would accept the entry
 */
export async function storeEntry(
  tx: Tx,
  { keys, accountId }: Pick<EntryParts, 'keys' | 'accountId'>,
  { stored, known }: EntryChain,
  { change, text, signature }: Omit<StoredEntry, 'id'> & { readonly change: OwnChange },
): Promise<OwnRows> {
  const lastId = stored.at(-1)?.id ?? 0
  const now = readOwnRows([...stored, { id: lastId + 1, text, signature }], keys)
  if (now.hashes.length !== known.hashes.length + 1 || hasLost(known, now) || lossIn(now, 0) !== undefined)
    throw fail('invalid-request', 'No process would accept this entry, so it is not stored.')
  await insertEntry(tx, { text, signature })
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    ...auditOf(change),
    details: { entry: now.hashes.length },
  })
  return now
}

function auditOf(change: OwnChange): { readonly action: AuditAction; readonly subject: string } {
  switch (change.type) {
    case 'network':
      return { action: 'network.added', subject: change.row.name }
    case 'token':
      return { action: 'token.added', subject: tokenName(change.row) }
    case 'state':
      return { action: `${change.kind}.${change.isEnabled ? 'enabled' : 'disabled'}`, subject: change.name }
    case 'nodes':
      return { action: 'network.nodes_changed', subject: change.network }
  }
}
