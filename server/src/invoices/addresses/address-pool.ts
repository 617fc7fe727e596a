import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { AddressCodec } from '../../chains/port.ts'
import type { Clock } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import type { Worker } from '../../core/work-loop.ts'
import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { addressMac, branchAt, type InvoiceAddress } from './address.ts'
import {
  type Assignment,
  assignAddress,
  type Branch,
  branchIsAttested,
  branchIsUsable,
  countFree,
  insertAddresses,
  openBranch,
  type PoolPlace,
  readBranchClock,
  reserveIndexes,
} from './address-store.ts'

export interface AddressPoolParts {
  readonly db: Db
  readonly codec: AddressCodec
  readonly xpub: string
  readonly macKey: KeyObject
  readonly clock: Clock
  readonly log: Log
}

/** Derivation blocks the event loop for about half a millisecond an address, so it is done in small slices. */
const sliceRows = 10
/** A pool that is half full is filled up once nobody has asked for an address for so long. */
const crowdedMs = 300
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
  /** Above every index this process gave away: even data put back under its feet cannot make it give one twice. */
  #fromIndex = 0
  /** Indexes below that were looked at for somebody who could not be given an address after all. */
  #unused: number[] = []
  #refilling: Promise<number> | undefined
  #waiting = 0
  #lastAskedAtMs = Number.NEGATIVE_INFINITY
  #isAttested = true

  constructor(parts: AddressPoolParts) {
    this.#parts = parts
  }

  get family(): string {
    return this.#parts.codec.family
  }

  /** Gives an address away within `tx`; undefined when the pool must be refilled first. */
  assign(tx: Tx, assignment: Assignment): Promise<InvoiceAddress | undefined> {
    return this.give(({ branch, fromIndex }) => assignAddress(tx, branch, fromIndex, assignment))
  }

  /**
   * Lets `assign` give away the next free address; undefined when there was none for it. Everybody is sent to an index of
   * their own, so that a crowd does not queue for the locks of the same few rows.
   */
  async give(
    assign: (place: PoolPlace) => Promise<InvoiceAddress | undefined>,
  ): Promise<InvoiceAddress | undefined> {
    const branch = this.#branch
    if (branch === undefined) return undefined
    this.#lastAskedAtMs = performance.now()
    const fromIndex = this.#unused.pop() ?? this.#fromIndex++
    let assigned: InvoiceAddress | undefined
    try {
      assigned = await assign({ branch, fromIndex })
    } finally {
      if (branch === this.#branch) this.#settle(fromIndex, assigned)
    }
    return assigned
  }

  #settle(fromIndex: number, assigned: InvoiceAddress | undefined): void {
    if (assigned === undefined) this.#unused.push(fromIndex)
    else this.#fromIndex = Math.max(this.#fromIndex, assigned.index + 1)
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
    const { db } = this.#parts
    if (this.#branch === undefined || !(await branchIsUsable(db, this.#branch))) {
      this.#branch = await this.#openBranch()
      this.#fromIndex = 0
      this.#unused = []
    }
    await this.#tellUnattested(this.#branch)
    const missing = limits.addressPoolRows - (await countFree(db, this.#branch, this.#fromIndex))
    if (missing < limits.addressBatchRows / 2 || (this.#isCrowded() && missing <= limits.addressPoolRows / 2))
      return 0
    const count = Math.min(missing, limits.addressBatchRows)
    const from = await reserveIndexes(db, this.#branch, count)
    await insertAddresses(db, await this.#derive(this.#branch, from, count))
    return count
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
