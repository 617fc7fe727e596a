/**
 * Sealing gives history one order and one fingerprint, shortly after the fact: chaining inside each posting would
 * make all money wait for one row. Whoever knows the last hash can tell whether anything before it was changed.
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

/** Runs the sealer wherever the lease `sealer` is held, until the signal aborts. */
export async function runSealer({ db, clock, log, signal, wake }: SealerParts): Promise<void> {
  const lease = { db, name: 'sealer', ttlMs: limits.leaseMs, clock, log, signal }
  await withLease(lease, (held, heldSignal) =>
    workLoop(sealer(db, held), { clock, log, signal: heldSignal, ...(wake && { wake }) }),
  )
}

export function sealer(db: Db, lease: Lease): Worker {
  return { name: 'sealer', idleMs: 200, takeAndDo: () => sealBatch(db, lease) }
}

/**
 * Seals at most one batch, of journals that carry the MAC of whoever posted them.
 * @returns how many journals were sealed.
 * @throws LeaseLostError
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
 * The journals before the first one that no process of ours posted. It stops the sealer for good: nothing after it is
 * sealed, and payouts halt by what is noted of it.
 */
async function untilForged(tx: Tx, journals: readonly StoredJournal[]): Promise<readonly StoredJournal[]> {
  const macs = macsOf(tx)
  const place = journals.findIndex((journal) => !hasJournalMac(macs, journal))
  const forged = journals[place]
  if (forged === undefined) return journals
  const detail = `the journal ${forged.id} (${forged.subject}) carries no MAC of BOOKS_KEY_FILE: nothing is sealed from there on`
  await noteTamperings(tx, [{ subject: `journal ${forged.id}`, detail }])
  return journals.slice(0, place)
}

/** What the first seal stands on. */
export const genesisHash: Buffer = Buffer.alloc(32)

function sealAll(last: Seal | undefined, journals: readonly StoredJournal[]): readonly Seal[] {
  let { sequence, hash } = last ?? { sequence: 0, hash: genesisHash }
  return journals.map((journal) => {
    sequence += 1
    hash = sealHash(hash, sequence, journal)
    return { sequence, journalId: journal.id, hash }
  })
}

/** SHA-256 of the previous hash (32 bytes) followed by the canonical bytes of the journal in its place. */
export function sealHash(previousHash: Buffer, sequence: number, journal: StoredJournal): Buffer {
  return createHash('sha256').update(previousHash).update(canonicalText(sequence, journal)).digest()
}

/**
 * JSON (UTF-8, no white space) of nested arrays of strings and nulls:
 * [sequence, id, kind, subject, reverses, postedAt, mac, [[place, account, owner, asset, debit, credit], ...]]
 * with decimal numbers, lower-case UUIDs, UTC time to the millisecond, and lines by place. Quoting makes it
 * unambiguous, and it names accounts by meaning, so that a line moved to another account shows.
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
    lines.map(({ place, account, debitMinor, creditMinor }) => [
      String(place),
      account.name,
      account.ownerId ?? null,
      account.asset,
      String(debitMinor),
      String(creditMinor),
    ]),
  ])
}
