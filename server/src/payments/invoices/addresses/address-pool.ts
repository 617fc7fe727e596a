import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { AddressCodec } from '../../../chains/port.ts'
import type { Clock } from '../../../core/clock.ts'
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
  /** Whether a branch may be opened: not before what was given away on others is known. */
  readonly mayOpen?: () => Promise<boolean>
}

/** Derivation blocks the event loop for about half a millisecond an address, so it is done in small slices. */
const sliceRows = 10
/** A pool that is half full is filled up once nobody has asked for an address for so long. */
const crowdedMs = 300
/** How often a process notes that its branch is in use; far less than after which its addresses are taken for left ones. */
const useNotedMs = 60_000
/** A database clock that fell further behind the newest branch than this needs an operator, not patience. */
const clockSlackS = 10
/** One branch can be opened each second: as many processes can start together before one gives up. */
const openTries = 60

/**
 * Addresses of one family, derived ahead of need on a branch that this process alone uses. The branch is left for
 * a new one whenever the database server or its data began a new life: a restored backup may hold addresses as
 * free that were given away after it was taken.
 */
export class AddressPool {
  readonly #parts: AddressPoolParts
  #branch: Branch | undefined
  /**
   * The addresses of the branch that this process never gave away. It names the very one that it gives, so that neither
   * data put back under its feet nor a row that somebody freed can make it give one twice.
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

  /** Gives an address away within `tx`; undefined when the pool must be refilled first. */
  assign(tx: Tx, assignment: Assignment): Promise<InvoiceAddress | undefined> {
    return this.give((place) => assignAddress(tx, place, assignment))
  }

  /**
   * Lets `assign` give away the next free address; undefined when there was none for it. Everybody is given one of
   * their own, so that a crowd does not queue for the locks of the same few rows.
   */
  async give(
    assign: (place: DerivedAddress) => Promise<InvoiceAddress | undefined>,
  ): Promise<InvoiceAddress | undefined> {
    this.#lastAskedAtMs = performance.now()
    const place = this.#free.shift()
    if (place === undefined) return undefined
    try {
      const assigned = await assign(place)
      if (assigned === undefined) this.#takeBack(place)
      return assigned
    } catch (error) {
      // After any other error nobody knows whether it was given away: then it is lost.
      if (violatedConstraint(error) !== undefined) this.#takeBack(place)
      throw error
    }
  }

  /** To the end: where it cannot be given at all, everybody else gets another one before it is tried again. */
  #takeBack(place: DerivedAddress): void {
    if (place.branch === this.#branch?.branch) this.#free.push(place)
  }

  /** Tops the pool up by at most one batch; callers at the same time share one refill. Returns the rows added. */
  refill(): Promise<number> {
    this.#refilling ??= this.#refill().finally(() => {
      this.#refilling = undefined
    })
    return this.#refilling
  }

  /**
   * Waits until enough was derived for all who waited already and for this caller, so that a crowd does not run for
   * every batch. False when nothing needs to be derived: what cannot be given now, more addresses do not help.
   */
  async awaitTurn(): Promise<boolean> {
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
    return { name: `address-pool ${this.family}`, idleMs: 1000, takeAndDo: () => this.refill() }
  }

  /** Then nobody is to wait for the deriving of addresses that are not needed yet. */
  #isCrowded(): boolean {
    return performance.now() - this.#lastAskedAtMs < crowdedMs
  }

  async #refill(): Promise<number> {
    const { db, mayOpen } = this.#parts
    if (this.#branch === undefined || !(await branchIsUsable(db, this.#branch))) {
      this.#branch = undefined
      this.#free = []
      if (mayOpen !== undefined && !(await mayOpen())) return 0
      this.#branch = await this.#openBranch()
      this.#useNotedAtMs = performance.now()
    }
    await this.#noteUse(this.#branch)
    await this.#tellUnattested(this.#branch)
    await this.#dropTaken(this.#branch)
    const missing = limits.addressPoolRows - this.#free.length
    if (missing < limits.addressBatchRows / 2 || (this.#isCrowded() && missing <= limits.addressPoolRows / 2))
      return 0
    const count = Math.min(missing, limits.addressBatchRows)
    const from = await reserveIndexes(db, this.#branch, count)
    const derived = await this.#derive(this.#branch, from, count)
    await insertAddresses(db, derived)
    this.#free.push(...derived)
    return count
  }

  async #noteUse(branch: Branch): Promise<void> {
    if (performance.now() - this.#useNotedAtMs < useNotedMs) return
    await noteBranchUse(this.#parts.db, branch)
    this.#useNotedAtMs = performance.now()
  }

  /** One that somebody has, as after an answer that never arrived, would be tried again and again. */
  async #dropTaken(branch: Branch): Promise<void> {
    if (this.#free.length === 0) return
    const taken = await readTaken(
      this.#parts.db,
      branch,
      this.#free.map(({ index }) => index),
    )
    if (taken.size > 0) this.#free = this.#free.filter(({ index }) => !taken.has(index))
  }

  /** Once each time that it comes to be so. */
  async #tellUnattested(branch: Branch): Promise<void> {
    const isAttested = await branchIsAttested(this.#parts.db, branch)
    if (!isAttested && this.#isAttested) {
      this.#parts.log.error(
        { alert: 'xpub-foreign', family: this.family },
        'the signer has other keys than the configured xpub: no address is given away until they fit',
      )
    }
    this.#isAttested = isAttested
  }

  async #derive({ family, branch }: Branch, from: number, count: number) {
    const { codec, xpub, macKey } = this.#parts
    const derived = []
    for (let start = from; start < from + count; start += sliceRows) {
      const slice = codec.derive(xpub, branch, start, Math.min(sliceRows, from + count - start))
      for (const [place, address] of slice.entries()) {
        const at = { family, address, branch, index: start + place }
        derived.push({ ...at, mac: addressMac(macKey, at) })
      }
      await yieldToEvents()
    }
    return derived
  }

  /** Opens a branch named by this second of database time, which no allocator ever opened or will open again. */
  async #openBranch(): Promise<Branch> {
    const { db, clock, log, xpub } = this.#parts
    const fingerprint = xpubFingerprint(xpub)
    for (let tries = 0; tries < openTries; tries++) {
      const { now, lastBranch } = await readBranchClock(db, this.family)
      const branch = { family: this.family, branch: branchAt(now) }
      if (lastBranch !== undefined && lastBranch > branch.branch + clockSlackS) {
        throw fail(
          'database-unavailable',
          'The database clock is behind the newest address branch; set it right.',
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
    throw fail('too-busy', 'Too many servers are starting at once to each get an address branch.', {
      retryAfterS: 10,
    })
  }
}
