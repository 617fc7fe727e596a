/** Restores what one process can restore after the database lost the end of its history. */
import type { KeyObject } from 'node:crypto'
import type { AddressCodec } from '../../chains/port.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import { recoverAddresses } from '../../payments/invoices/addresses/recover-addresses.ts'
import {
  acquireLease,
  type Lease,
  LeaseLostError,
  releaseLease,
  renewLease,
} from '../../platform/db/lease.ts'
import type { Loss } from '../../platform/incarnation/loss.ts'
import {
  endRecovery,
  type OpenRecovery,
  openMissingRecoveries,
  openRecoveries,
  readLostSince,
  readOpenRecoveries,
} from './loss-store.ts'
import type { LostRecord } from './lost-record.ts'
import { type PutBackLostParts, putBackLost } from './put-back.ts'

/** The account xpub of an address family's deposit addresses, and the code that derives them. */
export interface FamilyKey {
  readonly codec: AddressCodec
  readonly xpub: string
}

export interface RecoverLostParts extends Omit<PutBackLostParts, 'fingerprints'> {
  readonly macKey: KeyObject
  /** The account xpubs of the networks that this process knows, by address family. */
  readonly families: ReadonlyMap<string, FamilyKey>
}

/**
 * Recovers a database from a loss, as far as this process can. Restores or records what this process
 * acknowledged. Derives the addresses of the lost period again, so that no payment to them is missed. No
 * block is booked until both are done (`readFence`).
 * @returns the records of what this process knows to be lost
 */
export async function recoverLost(
  parts: RecoverLostParts,
  loss: Loss,
  signal: AbortSignal,
): Promise<readonly LostRecord[]> {
  const families = [...parts.families.keys()]
  const lostSince = await readLostSince(parts.db, loss.incarnation)
  const since = lostSince !== undefined && lostSince < loss.lastSeenAt ? lostSince : loss.lastSeenAt
  await openRecoveries(parts.db, loss, { families, since })
  const records = await putBackLost({ ...parts, fingerprints: fingerprintsOf(parts) }, loss)
  await recoverOpen(parts, signal)
  return records
}

function fingerprintsOf({ families }: Pick<RecoverLostParts, 'families'>): ReadonlyMap<string, string> {
  return new Map([...families].map(([family, { xpub }]) => [family, xpubFingerprint(xpub)]))
}

const retryMsMax = 5_000

/**
 * Runs `recoverLost` until the recovery succeeds or the process stops. The recovery may fail at first,
 * because the database may be unreachable for some time after a failover. It must not be left to other
 * processes, because they do not remember the same facts.
 */
export async function recoverUntilDone(
  parts: RecoverLostParts,
  loss: Loss,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const records = await recoverLost(parts, loss, signal)
      const backCount = records.filter(({ outcome }) => outcome === 'put-back').length
      const summary = { incarnation: loss.incarnation, lost: records.length, putBack: backCount }
      parts.log.warn(summary, 'recovered lost records, as far as this process remembers them')
      return
    } catch (error) {
      // The process is stopping. Its open recoveries stay in the database, and another process finishes them.
      if (signal.aborted) return
      parts.log.error({ incarnation: loss.incarnation, err: error }, 'recovery failed, it will be retried')
      await parts.clock.sleep(Math.min(retryMsMax, 100 * 2 ** Math.min(failures, 6)), signal)
    }
  }
}

/**
 * Another process takes over a recovery whose lease was not renewed for this long. A recovery that runs twice
 * does no harm.
 */
const leaseMs = 120_000

/**
 * Derives the addresses of the open recoveries, including recoveries that a dead process left open.
 * @returns the number of recoveries that this call finished.
 */
export async function recoverOpen(parts: RecoverLostParts, signal: AbortSignal): Promise<number> {
  const { db } = parts
  let finished = 0
  for (const open of await readOpenRecoveries(db)) {
    const key = parts.families.get(open.family)
    if (key === undefined) continue
    const name = `recover addresses ${open.family}`
    const lease = await acquireLease(db, { name, holderId: newId(), ttlMs: leaseMs })
    if (lease === undefined) continue
    try {
      await recoverFamily(parts, key, open, () => goOn(parts, lease, signal))
      finished += 1
    } finally {
      await releaseLease(db, lease)
    }
  }
  return finished
}

/**
 * Limits on the number of lost addresses of one branch. A process derives `aheadRows` addresses in advance,
 * and at most `rowsPerSecond` more in each second of the lost period. The recovery derives at most
 * `usedRowsMax` addresses again.
 */
const aheadRows = limits.addressPoolRows
const rowsPerSecond = 200
const usedRowsMax = 100_000
/**
 * The number of a branch is the second in which a process opened it. For each second of the lost period, this
 * many addresses are derived on the branch that may have been opened in that second. The command `recover`
 * derives the same number by default.
 */
const possibleRows = 20

/**
 * Returns the number of addresses to derive on each branch in use. A longer lost period needs more addresses.
 */
export function usedRowsIn({ since, until }: Pick<OpenRecovery, 'since' | 'until'>): number {
  const seconds = Math.ceil((until.getTime() - since.getTime()) / 1000)
  return Math.min(usedRowsMax, aheadRows + rowsPerSecond * seconds)
}

/**
 * Renews the lease, so that no other process runs the same recovery at the same time. Throws at once if
 * `signal` has aborted, so that a stopping process does not wait for the recovery.
 * @throws LeaseLostError if the lease was lost
 */
async function goOn({ db }: RecoverLostParts, lease: Lease, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!(await renewLease(db, lease))) throw new LeaseLostError(lease)
}

/**
 * A process records every minute which branch it uses. A branch was not used in the lost period if its last
 * record is older than the start of that period by at least this much.
 */
const leftBeforeMs = 300_000

async function recoverFamily(
  parts: RecoverLostParts,
  key: FamilyKey,
  open: OpenRecovery,
  onStored: () => Promise<void>,
): Promise<void> {
  const { db, macKey, log } = parts
  const { incarnation, family, since, until } = open
  const usedAfter = new Date(since.getTime() - leftBeforeMs)
  const window = { since, until, usedAfter, usedRows: usedRowsIn(open), possibleRows }
  const { derived, added } = await recoverAddresses({ db, macKey, ...key, onStored }, window)
  await endRecovery(db, open, added)
  log.warn({ incarnation, family, derived, added }, 'the addresses of the lost period are watched again')
}

/**
 * Returns the worker that opens missing recoveries and finishes recoveries that a dead process left open. No
 * block of an address family is booked until the recoveries of the family are finished.
 */
export function recoveryWorker(parts: RecoverLostParts): Worker {
  const runBatch = async (signal: AbortSignal) => {
    const opened = await openMissingRecoveries(parts.db, [...parts.families.keys()])
    if (opened > 0) parts.log.warn({ opened }, 'missing recoveries of lost addresses were started')
    return recoverOpen(parts, signal)
  }
  return { name: 'recover lost addresses', idleMs: 2_000, runBatch }
}
