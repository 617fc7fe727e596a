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
  /** Told now and then how many addresses were derived so far. */
  onProgress?(derived: number): void
  /** Called after every thousand addresses; what it throws ends the derivation. */
  readonly onStored?: () => Promise<void>
}

/** The time of which the database knows nothing, and how much is looked for in it. */
export interface LostWindow {
  readonly since: Date
  /** Now, by the database's clock, where it is not given or later. */
  readonly until?: Date | undefined
  /**
   * Which branches were in use: those that a process used after this. Where it is not given, as the time of the data is not
   * known, all of the last life of the server before this one.
   */
  readonly usedAfter?: Date | undefined
  /** How many of each branch that was in use before. */
  readonly usedRows: number
  /** How many of each second in which a start may have opened a branch. */
  readonly possibleRows: number
}

export interface Recovered {
  readonly derived: number
  /** Those that the database did not know. */
  readonly added: number
}

/** Addresses of a branch, by their indexes. */
interface Stretch {
  readonly branch: number
  readonly from: number
  readonly count: number
}

/** Times are a service's words, branches are the database's: they may be so far apart. */
const slackS = 60
const insertedAtOnce = 1_000
/** Derivation blocks the event loop for about half a millisecond an address. */
const sliceRows = 20
const progressRows = 100_000

/** How many addresses a window comes to at most, those of branches in use not counted. */
export function possibleCount({ since, until, possibleRows }: LostWindow, now: Date): number {
  const seconds = branchAt(until !== undefined && until < now ? until : now) - branchAt(since) + slackS + 1
  return Math.max(0, seconds) * possibleRows
}

/**
 * Derives again what may have been given away in a time that the database lost, so that it is watched: nobody's, and never
 * given away again. Doing it twice changes nothing.
 * @throws Error where the database's newest addresses come from another xpub
 */
export async function recoverAddresses(parts: RecoverParts, window: LostWindow): Promise<Recovered> {
  const { db, codec, xpub } = parts
  const { family } = codec
  const fingerprint = xpubFingerprint(xpub)
  const newest = await readNewestFingerprint(db, family)
  if (newest !== undefined && newest !== fingerprint) {
    throw new Error(
      `the newest addresses of ${family} come from another account xpub: set the one they are from`,
    )
  }
  const { now } = await readBranchClock(db, family)
  const from = Math.max(0, branchAt(window.since) - slackS)
  const to = branchAt(window.until !== undefined && window.until < now ? window.until : now)
  const former = await readFormerBranches(db, { family, fingerprint, to, usedAfter: window.usedAfter })
  await insertLostBranches(db, { family, fingerprint, from, to })
  // To be asked after that: from now on no process can open another branch of the window.
  const inUse = await readBranchesInUse(db, { family, from, to })
  return derive(parts, stretchesOf(window, former, { from, to, inUse }))
}

/**
 * What was in use first: it is the likeliest. A branch of this life of the database is left to the process that uses it, whose
 * addresses are stored before they are given away.
 */
function* stretchesOf(
  { usedRows, possibleRows }: LostWindow,
  former: readonly { readonly branch: number; readonly nextIndex: number }[],
  { from, to, inUse }: { readonly from: number; readonly to: number; readonly inUse: ReadonlySet<number> },
): Generator<Stretch> {
  for (const { branch, nextIndex } of former) {
    // A batch is reserved before it is stored: the last one may not have been when the data was saved.
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
      for (const [place, address] of addresses.entries()) {
        const at = { family, address, branch, index: start + place }
        waiting.push({ ...at, mac: addressMac(macKey, at) })
      }
      if (waiting.length >= insertedAtOnce) await store()
    }
  }
  if (waiting.length > 0) await store()
  return { derived, added }
}
