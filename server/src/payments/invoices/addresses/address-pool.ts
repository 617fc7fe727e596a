/**
 * Derives payment addresses in advance. Each address is assigned only once, even after the database lost
 * data.
 */

import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { AddressCodec } from '../../../chains/port.ts'
import { type Clock, monotonicMs } from '../../../core/clock.ts'
import type { Worker } from '../../../core/concurrency/work-loop.ts'
import { fail } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import type { Log } from '../../../core/log.ts'
import { xpubFingerprint } from '../../../core/xpub-fingerprint.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { type Tx, violatedConstraint } from '../../../platform/db/transaction.ts'
import { addressMac, branchAt, type DerivedAddress, type InvoiceAddress } from './address.ts'
import {
  assignAddress,
  type Branch,
  branchIsAttested,
  branchIsUsable,
  insertAddresses,
  noteBranchUse,
  openBranch,
  readBranchClock,
  readTaken,
  reserveIndexes,
} from './address-store.ts'
import type { Assignment } from './assignment-mac.ts'

export interface AddressPoolParts {
  readonly db: Db
  readonly codec: AddressCodec
  readonly xpub: string
  readonly macKey: KeyObject
  readonly clock: Clock
  readonly log: Log
  /**
   * Returns whether a branch may be opened. After the database lost data, all addresses that may have been
   * assigned in the lost period must be watched first.
   */
  readonly mayOpen?: () => Promise<boolean>
  /** The number of addresses that the pool holds, and that it derives at once; by default those of `limits`. */
  readonly sizes?: PoolSizes
}

export interface PoolSizes {
  readonly poolRows: number
  readonly batchRows: number
}

const usualSizes: PoolSizes = { poolRows: limits.addressPoolRows, batchRows: limits.addressBatchRows }

/**
 * Derivation blocks the event loop for about half a millisecond for each address, so addresses are derived in
 * small slices.
 */
const sliceRows = 10
/** A pool that is at least half full is refilled only if no address was requested for this time. */
const crowdedMs = 300
/**
 * How often a process updates the `used_at` of its branch. Unused addresses of a branch are deleted only if
 * the branch was not used for a far longer time.
 */
const useNotedMs = 60_000
/**
 * Maximum number of seconds that the database's clock may be behind the newest branch. If the clock is
 * further behind, waiting does not help and an operator must correct the clock.
 */
const clockSlackS = 10
/**
 * Maximum number of attempts to open a branch. One branch can be opened each second, so this many processes
 * can start at the same time.
 */
const openTries = 60

/**
 * A pool of addresses of one family, on a branch that only this process uses. The pool opens a new branch
 * whenever the database server was restarted or its data was restored. The reason is that restored data may
 * show an address as free that was assigned after the backup was taken.
 */
export class AddressPool {
  readonly #parts: AddressPoolParts
  #branch: Branch | undefined
  /**
   * The addresses of the branch that this process has not assigned. The pool chooses addresses from this
   * list, and not from the database. Restored data, or a row that somebody reset, therefore cannot make the
   * pool assign an address twice.
   */
  #free: DerivedAddress[] = []
  #refilling: Promise<number> | undefined
  #waiting = 0
  #lastAskedAtMs = Number.NEGATIVE_INFINITY
  #isAttested = true
  #useNotedAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: AddressPoolParts) {
    this.#parts = parts
  }

  get family(): string {
    return this.#parts.codec.family
  }

  /** Assigns an address within `tx`. Returns undefined if no address can be assigned now. */
  assign(tx: Tx, assignment: Assignment): Promise<InvoiceAddress | undefined> {
    return this.give((derived) => assignAddress(tx, derived, assignment))
  }

  /**
   * Calls `assign` with the next free address. Returns undefined if no address is free, or if `assign`
   * returns undefined. Every caller gets a different address, so callers do not wait for each other's row
   * lock.
   */
  async give(
    assign: (derived: DerivedAddress) => Promise<InvoiceAddress | undefined>,
  ): Promise<InvoiceAddress | undefined> {
    this.#lastAskedAtMs = monotonicMs()
    const derived = this.#free.shift()
    if (derived === undefined) return undefined
    try {
      const assigned = await assign(derived)
      if (assigned === undefined) this.#takeBack(derived)
      return assigned
    } catch (error) {
      // A violated constraint shows that the address is still free. After any other error the address may
      // have been assigned, so the pool never uses it again.
      if (violatedConstraint(error) !== undefined) this.#takeBack(derived)
      throw error
    }
  }

  /**
   * Appends an address that was not assigned to the end of the pool. The pool then tries all other addresses
   * first, because this address may fail again.
   */
  #takeBack(derived: DerivedAddress): void {
    if (derived.branch === this.#branch?.branch) this.#free.push(derived)
  }

  /**
   * Adds at most one batch of addresses to the pool. Concurrent callers share one refill. Returns the number
   * of added addresses.
   */
  refill(): Promise<number> {
    this.#refilling ??= this.#refill().finally(() => {
      this.#refilling = undefined
    })
    return this.#refilling
  }

  /**
   * Waits until enough addresses were derived for this caller and for all callers that were already waiting.
   * Callers therefore do not compete for each batch. Returns false if no addresses were derived; waiting
   * again would not help.
   */
  async awaitFree(): Promise<boolean> {
    const before = this.#waiting
    this.#waiting += 1
    try {
      for (let derived = 0; derived <= before; ) {
        const added = await this.refill()
        if (added === 0) return derived > 0
        derived += added
      }
      return true
    } finally {
      this.#waiting -= 1
    }
  }

  worker(): Worker {
    return { name: `address-pool ${this.family}`, idleMs: 1000, runBatch: () => this.refill() }
  }

  /**
   * Returns whether an address was requested a moment ago. Payers who request addresses should not wait while
   * the process derives addresses in advance.
   */
  #isCrowded(): boolean {
    return monotonicMs() - this.#lastAskedAtMs < crowdedMs
  }

  async #refill(): Promise<number> {
    const { db, mayOpen, sizes: { poolRows, batchRows } = usualSizes } = this.#parts
    if (this.#branch === undefined || !(await branchIsUsable(db, this.#branch))) {
      this.#branch = undefined
      this.#free = []
      if (mayOpen !== undefined && !(await mayOpen())) return 0
      this.#branch = await this.#openBranch()
      this.#useNotedAtMs = monotonicMs()
    }
    await this.#noteUse(this.#branch)
    await this.#reportUnattested(this.#branch)
    await this.#dropTaken(this.#branch)
    const missing = poolRows - this.#free.length
    if (missing < batchRows / 2 || (this.#isCrowded() && missing <= poolRows / 2)) return 0
    const count = Math.min(missing, batchRows)
    const from = await reserveIndexes(db, this.#branch, count)
    const derived = await this.#derive(this.#branch, from, count)
    await insertAddresses(db, derived)
    this.#free.push(...derived)
    return count
  }

  async #noteUse(branch: Branch): Promise<void> {
    if (monotonicMs() - this.#useNotedAtMs < useNotedMs) return
    await noteBranchUse(this.#parts.db, branch)
    this.#useNotedAtMs = monotonicMs()
  }

  /**
   * Removes addresses from the pool that are already assigned or deleted, so that the pool does not try them
   * again. This happens, for example, if the response to an assignment was lost.
   */
  async #dropTaken(branch: Branch): Promise<void> {
    if (this.#free.length === 0) return
    const taken = await readTaken(
      this.#parts.db,
      branch,
      this.#free.map(({ index }) => index),
    )
    if (taken.size > 0) this.#free = this.#free.filter(({ index }) => !taken.has(index))
  }

  /** Logs an alert when the keys that the signer attested stop matching the xpub of the branch. */
  async #reportUnattested(branch: Branch): Promise<void> {
    const isAttested = await branchIsAttested(this.#parts.db, branch)
    if (!isAttested && this.#isAttested) {
      this.#parts.log.error(
        { alert: 'xpub-foreign', family: this.family },
        'the keys of the signer do not match the configured xpub: no address is assigned until they match',
      )
    }
    this.#isAttested = isAttested
  }

  async #derive({ family, branch }: Branch, from: number, count: number) {
    const { codec, xpub, macKey } = this.#parts
    const derived = []
    for (let start = from; start < from + count; start += sliceRows) {
      const slice = codec.derive(xpub, branch, start, Math.min(sliceRows, from + count - start))
      for (const [offset, address] of slice.entries()) {
        const at = { family, address, branch, index: start + offset }
        derived.push({ ...at, mac: addressMac(macKey, at) })
      }
      await yieldToEvents()
    }
    return derived
  }

  /**
   * Opens a branch that no other allocator has opened or will open. The number of the branch is the current
   * second of the database's clock. If this number is taken, the function waits for the next second.
   */
  async #openBranch(): Promise<Branch> {
    const { db, clock, log, xpub } = this.#parts
    const fingerprint = xpubFingerprint(xpub)
    for (let tries = 0; tries < openTries; tries++) {
      const { now, lastBranch } = await readBranchClock(db, this.family)
      const branch = { family: this.family, branch: branchAt(now) }
      if (lastBranch !== undefined && lastBranch > branch.branch + clockSlackS) {
        throw fail(
          'database-unavailable',
          'The clock of the database is behind the newest address branch: correct the clock.',
          {
            retryAfterS: 60,
          },
        )
      }
      const isNewest = lastBranch === undefined || branch.branch > lastBranch
      if (isNewest && (await openBranch(db, branch, fingerprint))) {
        log.info({ family: this.family, branch: branch.branch }, 'address branch opened')
        return branch
      }
      await clock.sleep(1000 - (now.getTime() % 1000))
    }
    throw fail(
      'too-busy',
      'Too many servers are starting at once, so no address branch is free. Try again shortly.',
      {
        retryAfterS: 10,
      },
    )
  }
}
