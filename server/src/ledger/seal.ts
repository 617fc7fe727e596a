/**
 * Seals journals: puts them into one order and one hash chain, shortly after they were posted. Posting does
 * not seal journals itself, because every posting would then have to wait for the same row. Whoever knows the
 * last hash can detect a change to any earlier journal.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { type Wake, type Worker, workLoop } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { noteTamperings } from '../platform/audit/tampering-store.ts'
import { assertLease, type Lease, withLease } from '../platform/db/lease.ts'
import { type Db, macsOf } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import { hasJournalMac } from './journal-mac.ts'
import { findLastSeal, findUnsealed, insertSeals, type Seal, type StoredJournal } from './store.ts'

export interface SealerParts {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly wake?: Wake
}

/** Runs the sealer while this process holds the lease `sealer`, until the signal aborts. */
export async function runSealer({ db, clock, log, signal, wake }: SealerParts): Promise<void> {
  const lease = { db, name: 'sealer', ttlMs: limits.leaseMs, clock, log, signal }
  await withLease(lease, (held, heldSignal) =>
    workLoop(sealer(db, held), { clock, log, signal: heldSignal, ...(wake && { wake }) }),
  )
}

export function sealer(db: Db, lease: Lease): Worker {
  return { name: 'sealer', idleMs: 200, runBatch: () => sealBatch(db, lease) }
}

/**
 * Seals at most `rowsMax` journals. A journal with an invalid MAC, and all journals after it, are not sealed.
 * @returns the number of journals that were sealed.
 * @throws LeaseLostError if the lease was lost.
 */
export async function sealBatch(db: Db, lease: Lease, rowsMax: number = limits.sealRows): Promise<number> {
  return inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const journals = await untilForged(tx, await findUnsealed(tx, rowsMax))
    if (journals.length === 0) return 0
    await insertSeals(tx, sealAll(await findLastSeal(tx), journals))
    return journals.length
  })
}

/**
 * Returns the journals before the first journal without a valid MAC, and records that journal as tampering.
 * Such a journal stops the sealer permanently: no later journal is sealed, and the recorded tampering halts
 * outgoing transactions.
 */
async function untilForged(tx: Tx, journals: readonly StoredJournal[]): Promise<readonly StoredJournal[]> {
  const macs = macsOf(tx)
  const index = journals.findIndex((journal) => !hasJournalMac(macs, journal))
  const forged = journals[index]
  if (forged === undefined) return journals
  const detail = `the journal ${forged.id} (${forged.subject}) has no valid MAC of BOOKS_KEY_FILE: neither it nor any later journal is sealed`
  await noteTamperings(tx, [{ subject: `journal ${forged.id}`, detail }])
  return journals.slice(0, index)
}

/** The value that the first seal uses as the hash of a previous seal. */
export const genesisHash: Buffer = Buffer.alloc(32)

function sealAll(last: Seal | undefined, journals: readonly StoredJournal[]): readonly Seal[] {
  let { sequence, hash } = last ?? { sequence: 0, hash: genesisHash }
  return journals.map((journal) => {
    sequence += 1
    hash = sealHash(hash, sequence, journal)
    return { sequence, journalId: journal.id, hash }
  })
}

/**
 * Returns the SHA-256 of the previous hash (32 bytes) followed by the canonical text of the journal at this
 * sequence.
 */
export function sealHash(previousHash: Buffer, sequence: number, journal: StoredJournal): Buffer {
  return createHash('sha256').update(previousHash).update(canonicalText(sequence, journal)).digest()
}

/**
 * Returns a journal's canonical text: JSON (UTF-8, no white space) of nested arrays of strings and nulls:
 * [sequence, id, kind, subject, reverses, postedAt, mac, lines], where each line is
 * [ordinal, account, owner, asset, debit, credit].
 * Numbers are decimal, UUIDs are lower-case, times are UTC to the millisecond, and lines are sorted by
 * ordinal. Quoting makes the text unambiguous. Accounts are identified by name and not by row id, so moving a
 * line to another account changes the hash.
 */
export function canonicalText(sequence: number, journal: StoredJournal): string {
  const { id, kind, subject, reverses, postedAt, mac, lines } = journal
  return JSON.stringify([
    String(sequence),
    id,
    kind,
    subject,
    reverses ?? null,
    postedAt.toISOString(),
    mac,
    lines.map(({ ordinal, account, debitMinor, creditMinor }) => [
      String(ordinal),
      account.name,
      account.ownerId ?? null,
      account.asset,
      String(debitMinor),
      String(creditMinor),
    ]),
  ])
}
