/**
 * Reads the operator's own networks and tokens again and again, and takes new ones into the running process.
 * Rows without a valid signature change nothing and raise an alert.
 */

import type { Worker } from '../../core/concurrency/work-loop.ts'
import type { Log } from '../../core/log.ts'
import type { Sealer } from '../../core/seal.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { openNodeList } from '../../pricing/own-rows/nodes.ts'
import { disabledIds } from '../../pricing/own-rows/own-methods.ts'
import type { OwnNetwork } from '../../pricing/own-rows/own-network.ts'
import { hasLost, type ReadingParts, readOwnRows } from '../../pricing/own-rows/own-rows.ts'
import { noOwnRows, type OwnRows } from '../../pricing/own-rows/signed-rows.ts'
import {
  readEntries,
  readEntriesMark,
  readFollowedSerials,
  readSealedNodes,
  type SealedNodes,
} from '../../pricing/own-rows/store.ts'
import { takeRows } from './take-rows.ts'

export interface OwnRowsParts {
  readonly db: Queryable
  readonly log: Log
  readonly sealer: Sealer
  readonly reading: ReadingParts
  /** With fewer entries than this in the database, no row is used. */
  readonly entryMin: number
  /** Tells why a chain id cannot be used in this installation; undefined if it can. */
  chainIdProblem(chainId: number): string | undefined
  /** Follows a network from now on. It is called once for each network, even if it throws. */
  openNetwork(row: OwnNetwork, urls: readonly string[]): void
  /** Is called when an entry replaces the nodes of an open network, which are used only after a restart. */
  onNewNodes(urls: readonly string[]): void
  /** Is called with the rows that are followed, and the ids of the methods that new invoices may not offer. */
  onRows(rows: OwnRows, disabled: ReadonlySet<number>): void
}

const idleMs = 1_000

export class OwnRowsKeeper {
  readonly #parts: OwnRowsParts
  /** The hashes of the lists of nodes with which networks were opened, by network. */
  readonly #opened = new Map<string, string>()
  readonly #alerted = new Set<string>()
  #rows: OwnRows = noOwnRows
  /** What the entries said when they had this mark. */
  #verified: { readonly mark: string; readonly rows: OwnRows } | undefined
  /** The number of the last entry that is in use, by network. */
  #serials: ReadonlyMap<string, number> = new Map()

  constructor(parts: OwnRowsParts) {
    this.#parts = parts
  }

  /** The rows that this process has accepted. */
  get rows(): OwnRows {
    return this.#rows
  }

  /**
   * Returns the number of the last entry about a network or its tokens that is in use here; 0 if there is none.
   * The payment methods of this process have these rows already.
   */
  serialOn(network: string): number {
    return this.#serials.get(network) ?? 0
  }

  worker(): Worker {
    const runBatch = async () => {
      await this.refresh()
      return 0
    }
    return { name: 'own networks and tokens', idleMs, runBatch }
  }

  async refresh(): Promise<void> {
    const { db, onRows } = this.#parts
    const read = await this.#readVerified()
    for (const { id, reason } of read.refused) this.#alert(`entry ${id}`, reason)
    if (!this.#isWhole(read)) return
    this.#rows = takeRows(read, this.#parts.chainIdProblem, (name, problem) => this.#alert(name, problem))
    const closed = this.#rows.networks.filter(
      ({ row, conflict }) => conflict === undefined && !this.#opened.has(row.name),
    )
    const moved = this.#rows.networks.filter(({ row }) => this.#hasOtherNodes(row))
    const stored = closed.length + moved.length > 0 ? await readSealedNodes(db) : []
    for (const { row } of moved) this.#noteNewNodes(row, stored)
    for (const { row } of closed) this.#open(row, stored)
    onRows(this.#rows, notOffered(this.#rows, await readFollowedSerials(db)))
    this.#serials = lastSerials(this.#rows)
  }

  /** Verifies the entries again only if they have changed, because each signature costs time in every process. */
  async #readVerified(): Promise<OwnRows> {
    const { db, reading } = this.#parts
    const mark = await readEntriesMark(db)
    if (this.#verified?.mark === mark) return this.#verified.rows
    const rows = readOwnRows(await readEntries(db), reading)
    // An entry that is added between the two queries changes the mark for the next time.
    this.#verified = { mark, rows }
    return rows
  }

  /** Entries are only added. If some are missing, somebody has removed them or put back an older state. */
  #isWhole(read: OwnRows): boolean {
    const count = read.hashes.length
    if (hasLost(this.#rows, read))
      this.#alert(
        'entries',
        'signed entries are missing that this process has used: an older state was put back',
      )
    else if (count < this.#parts.entryMin)
      this.#alert(
        'entries',
        `the database has ${count} signed entries, and OPERATOR_ENTRY_MIN is ${this.#parts.entryMin}`,
      )
    else return true
    return false
  }

  /** Follows a network. Without the list of nodes it stays known, so that its invoices can be shown. */
  #open(row: OwnNetwork, stored: readonly SealedNodes[]): void {
    const urls = openNodeList(this.#parts.sealer, row, stored)
    if (urls === undefined) {
      this.#alert(row.name, 'its list of nodes is missing, or is not the one that was signed')
      return
    }
    // Marked first: what a half-opened network has started must not be started again.
    this.#opened.set(row.name, row.nodesHash)
    try {
      this.#parts.openNetwork(row, urls)
    } catch (error) {
      this.#alert(
        row.name,
        `it could not be opened (${shown(error)}): disable it or mend the cause, then restart`,
      )
    }
  }

  #hasOtherNodes({ name, nodesHash }: OwnNetwork): boolean {
    const before = this.#opened.get(name)
    return before !== undefined && before !== nodesHash
  }

  /** An open network keeps its nodes until the process restarts, because its readers and engine hold them. */
  #noteNewNodes(row: OwnNetwork, stored: readonly SealedNodes[]): void {
    const { name, nodesHash } = row
    const urls = openNodeList(this.#parts.sealer, row, stored)
    if (urls === undefined) {
      this.#alert(name, 'its new list of nodes is missing, or is not the one that was signed')
      return
    }
    this.#opened.set(name, nodesHash)
    this.#parts.onNewNodes(urls)
    this.#parts.log.warn(
      { network: name },
      'the nodes of a network were changed: restart this process to use them',
    )
  }

  /** Each problem raises one alert in a process, because the rows are read every second. */
  #alert(subject: string, reason: string): void {
    const text = `${subject}: ${reason}`
    if (this.#alerted.has(text)) return
    this.#alerted.add(text)
    this.#parts.log.error(
      { alert: 'own-row-refused', subject, reason },
      'a network or token of the operator is not used',
    )
  }
}

/** Returns the text of an error without URLs, which often contain keys. */
function shown(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/[a-z]+:\/\/\S+/gi, '(a URL)')
}

/** A row with the network that it is about. */
interface Placed {
  readonly network: string
  readonly methodId: number
  readonly serial: number
}

function placed({ networks, tokens }: OwnRows): readonly Placed[] {
  return [
    ...networks.map(({ row: { name, methodId }, serial }) => ({ network: name, methodId, serial })),
    ...tokens.map(({ row: { network, methodId }, serial }) => ({ network, methodId, serial })),
  ]
}

function lastSerials(rows: OwnRows): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const { network, serial } of placed(rows)) last.set(network, Math.max(serial, last.get(network) ?? 0))
  return last
}

/**
 * A row is offered once its network's watcher reads blocks with it, because a payment before that could be
 * missed.
 */
function notOffered(rows: OwnRows, followed: ReadonlyMap<string, number>): ReadonlySet<number> {
  const early = placed(rows).filter(({ network, serial }) => serial > (followed.get(network) ?? 0))
  return new Set([...disabledIds(rows), ...early.map(({ methodId }) => methodId)])
}
