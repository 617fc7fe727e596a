/**
 * Derives again all addresses that may have been assigned in a period that the database lost (decision 64).
 */

import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { AddressCodec } from '../../../chains/port.ts'
import { limits } from '../../../core/limits.ts'
import { xpubFingerprint } from '../../../core/xpub-fingerprint.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { addressMac, branchAt } from './address.ts'
import { readBranchClock, readNewestFingerprint } from './address-store.ts'
import {
  insertLostAddresses,
  insertLostBranches,
  readBranchesInUse,
  readFormerBranches,
} from './recover-store.ts'

export interface RecoverParts {
  readonly db: Queryable
  readonly codec: AddressCodec
  readonly xpub: string
  readonly macKey: KeyObject
  /** Called from time to time with the number of addresses derived so far. */
  onProgress?(derived: number): void
  /** Called after every thousand addresses. An error thrown by this function ends the derivation. */
  readonly onStored?: () => Promise<void>
}

/** The period for which the database lost its data, and how many addresses to derive for this period. */
export interface LostWindow {
  readonly since: Date
  /**
   * The end of the lost period. If absent or in the future, the end is the current time of the database's
   * clock.
   */
  readonly until?: Date | undefined
  /**
   * A branch that a process used after this time may have been in use during the lost period. If undefined,
   * all branches of the previous run of the database server may have been in use.
   */
  readonly usedAfter?: Date | undefined
  /** How many addresses to derive on each branch that was in use before the lost period. */
  readonly usedRows: number
  /** How many addresses to derive for each second in which a starting process may have opened a branch. */
  readonly possibleRows: number
}

export interface Recovered {
  readonly derived: number
  /** The number of derived addresses that the database did not have. */
  readonly added: number
}

/** A range of consecutive addresses of a branch, by their indexes. */
interface Stretch {
  readonly branch: number
  readonly from: number
  readonly count: number
}

/**
 * The largest expected difference between two clocks, in seconds. A branch number is a time of the database's
 * clock, but the start of a lost period may come from another clock.
 */
const slackS = 60
const insertedAtOnce = 1_000
/**
 * Derivation blocks the event loop for about half a millisecond for each address, so addresses are derived in
 * small slices.
 */
const sliceRows = 20
/** Deriving this many takes five to fifteen seconds. */
const progressRows = 10_000

/**
 * Returns the maximum number of addresses to derive for a lost period. Addresses of branches that were in use
 * before are not counted.
 */
export function possibleCount({ since, until, possibleRows }: LostWindow, now: Date): number {
  const seconds = branchAt(until !== undefined && until < now ? until : now) - branchAt(since) + slackS + 1
  return Math.max(0, seconds) * possibleRows
}

/**
 * Derives again all addresses that may have been assigned in a period that the database lost, so that the
 * addresses are watched. These addresses have no owner and are never assigned again. Running the function
 * twice changes nothing.
 * @throws Error if the newest addresses in the database were derived from another xpub
 */
export async function recoverAddresses(parts: RecoverParts, window: LostWindow): Promise<Recovered> {
  const { db, codec, xpub } = parts
  const { family } = codec
  const fingerprint = xpubFingerprint(xpub)
  const newest = await readNewestFingerprint(db, family)
  if (newest !== undefined && newest !== fingerprint) {
    throw new Error(
      `the newest addresses of ${family} come from another account xpub: configure the xpub that they come from`,
    )
  }
  const { now } = await readBranchClock(db, family)
  const from = Math.max(0, branchAt(window.since) - slackS)
  const to = branchAt(window.until !== undefined && window.until < now ? window.until : now)
  const former = await readFormerBranches(db, { family, fingerprint, to, usedAfter: window.usedAfter })
  await insertLostBranches(db, { family, fingerprint, from, to })
  // The branches in use are read after the insert, because from then on no process can open another branch of
  // the period.
  const inUse = await readBranchesInUse(db, { family, from, to })
  return derive(parts, stretchesOf(window, former, { from, to, inUse }))
}

/**
 * Yields the ranges of addresses to derive. Branches that were in use come first, because their addresses are
 * the most likely to have been assigned. Branches opened since the database's last start or restoration are
 * skipped, because their processes store addresses before they assign them.
 */
function* stretchesOf(
  { usedRows, possibleRows }: LostWindow,
  former: readonly { readonly branch: number; readonly nextIndex: number }[],
  { from, to, inUse }: { readonly from: number; readonly to: number; readonly inUse: ReadonlySet<number> },
): Generator<Stretch> {
  for (const { branch, nextIndex } of former) {
    // Indexes are reserved before their addresses are stored. The addresses of the last batch may therefore
    // be missing from the saved data.
    const first = Math.max(0, nextIndex - limits.addressBatchRows)
    yield { branch, from: first, count: nextIndex - first + usedRows }
  }
  for (let branch = from; branch <= to; branch += 1) {
    if (!inUse.has(branch)) yield { branch, from: 0, count: possibleRows }
  }
}

async function derive(parts: RecoverParts, stretches: Iterable<Stretch>): Promise<Recovered> {
  const { db, codec, xpub, macKey, onProgress, onStored } = parts
  const { family } = codec
  let derived = 0
  let added = 0
  let waiting: Parameters<typeof insertLostAddresses>[1][number][] = []
  const store = async () => {
    added += await insertLostAddresses(db, waiting)
    const isRound = Math.floor((derived + waiting.length) / progressRows) > Math.floor(derived / progressRows)
    derived += waiting.length
    waiting = []
    if (isRound) onProgress?.(derived)
    await onStored?.()
  }
  for (const { branch, from, count } of stretches) {
    for (let start = from; start < from + count; start += sliceRows) {
      const addresses = codec.derive(xpub, branch, start, Math.min(sliceRows, from + count - start))
      await yieldToEvents()
      for (const [index, address] of addresses.entries()) {
        const at = { family, address, branch, index: start + index }
        waiting.push({ ...at, mac: addressMac(macKey, at) })
      }
      if (waiting.length >= insertedAtOnce) await store()
    }
  }
  if (waiting.length > 0) await store()
  return { derived, added }
}
