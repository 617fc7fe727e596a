/** What a process does once the end of the database's history is gone. */
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

/** Where deposit addresses of a family come from. */
export interface FamilyKey {
  readonly codec: AddressCodec
  readonly xpub: string
}

export interface RecoverLostParts extends Omit<PutBackLostParts, 'fingerprints'> {
  readonly macKey: KeyObject
  /** Of the networks that this process knows, by their family. */
  readonly families: ReadonlyMap<string, FamilyKey>
}

/**
 * Makes a database good again after a loss, as far as this process can: what it acknowledged is put back or named, and
 * the addresses of the lost time are derived again, so that no payment to them is missed. Blocks wait for both (`readFence`).
 * @returns what this process knows to be lost
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
 * The same, again and again until it is done or the process stops: right after a failover the database may be away for a
 * while, and what this process remembers is remembered by nobody else.
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
      const told = { incarnation: loss.incarnation, lost: records.length, putBack: backCount }
      parts.log.warn(told, 'recovered from a loss, as far as this process remembers what was lost')
      return
    } catch (error) {
      // What is open stays open, and another process finishes it.
      if (signal.aborted) return
      parts.log.error({ incarnation: loss.incarnation, err: error }, 'recovery failed, will try again')
      await parts.clock.sleep(Math.min(retryMsMax, 100 * 2 ** Math.min(failures, 6)), signal)
    }
  }
}

/** A recovery that was not heard of for so long is taken over by another process; doing it twice changes nothing. */
const leaseMs = 120_000

/** Derives the addresses of one recovery that is open, here or by a process that died; how many were finished. */
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
 * How many addresses of a branch may have been given away beyond those that the database knows: what was derived ahead of need, and
 * what a process derives meanwhile, which is less than this beside its other work.
 */
const aheadRows = limits.addressPoolRows
const rowsPerSecond = 200
const usedRowsMax = 100_000
/** Of each second in which a start may have opened a branch: as many as the command `recover` looks at. */
const possibleRows = 20

/** How far each branch in use is looked along: the further, the more time was lost. */
export function usedRowsIn({ since, until }: Pick<OpenRecovery, 'since' | 'until'>): number {
  const seconds = Math.ceil((until.getTime() - since.getTime()) / 1000)
  return Math.min(usedRowsMax, aheadRows + rowsPerSecond * seconds)
}

/** Nobody else does beside us what takes longer than the lease, and a stop need not wait for it. */
async function goOn({ db }: RecoverLostParts, lease: Lease, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!(await renewLease(db, lease))) throw new LeaseLostError(lease)
}

/** A process notes each minute which branch it uses: one that was left so long before the lost time was not in use in it. */
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
  log.warn({ incarnation, family, derived, added }, 'addresses of the lost time are watched again')
}

/** Opens recoveries that are missing and finishes those that a dead process left open. Until then no block is read. */
export function recoveryWorker(parts: RecoverLostParts): Worker {
  const takeAndDo = async (signal: AbortSignal) => {
    const opened = await openMissingRecoveries(parts.db, [...parts.families.keys()])
    if (opened > 0)
      parts.log.warn({ opened }, 'recoveries of lost addresses were opened that nobody had opened')
    return recoverOpen(parts, signal)
  }
  return { name: 'recover lost addresses', idleMs: 2_000, takeAndDo }
}
