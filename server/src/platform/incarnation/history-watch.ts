/**
 * Detects that the database lost the end of its history. Each process has a number in the database, its
 * heartbeat, and increments it every two seconds. The process remembers the last committed number. Before the
 * next increment, it checks that the database still has that number. The check needs no database session, so
 * it works behind poolers and across reconnects to another host.
 */

import type { Worker } from '../../core/concurrency/work-loop.ts'
import { newId } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import type { Guard } from '../db/lease.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import {
  type Comparison,
  compareHistory,
  type Incarnation,
  type IncarnationCause,
  mustHalt,
  type Remembered,
  type SeenHistory,
  type ServerHistory,
} from './history.ts'
import type { Loss } from './loss.ts'
import type { HeartbeatMemory } from './memory-file.ts'
import {
  type Beaten,
  beatIfSame,
  type ExpectedHistory,
  endBeat,
  forgetOldBeats,
  insertIncarnation,
  insertLostBeat,
  isKnownHistory,
  joinHistory,
  lockHistory,
  type ProcessName,
  readHistory,
} from './store.ts'

export interface HistoryWatchParts {
  readonly db: Db
  readonly log: Log
  /** The role of the process, for people to read: "api", or several roles joined by "+". */
  readonly role: string
  /** Undefined if there is no folder in which to keep the last heartbeat. */
  readonly memory: HeartbeatMemory | undefined
  /**
   * Halts all outgoing money, in the transaction that records a new incarnation. An operator lifts the halt
   * after checking the books.
   */
  readonly halt: (tx: Tx, detail: string) => Promise<void>
  /** Called once for each incarnation that began with a proven or possible loss. Its errors are logged. */
  readonly onLoss: (loss: Loss) => void | Promise<void>
}

/** The database server and the incarnation that this process found at its last check of the history. */
export interface KnownHistory extends ServerHistory {
  readonly incarnation: number
}

const beatMs = 2_000
/** Old heartbeat rows are deleted once in this many heartbeats, which is about every hour. */
const beatsPerCleaning = 1_800

export class HistoryWatch {
  readonly #parts: HistoryWatchParts
  #processId = newId()
  #known: KnownHistory | undefined
  #remembered: Remembered | undefined
  #isFileRead = false
  #isFailing = false
  #beats = 0
  /** Calls of `onLoss` that have not finished. */
  readonly #running = new Set<Promise<void>>()

  constructor(parts: HistoryWatchParts) {
    this.#parts = parts
  }

  /** The history on which this process works; undefined before its first heartbeat. */
  get known(): KnownHistory | undefined {
    return this.#known
  }

  /**
   * Returns a condition for statements that may write only while the database has the history that this
   * process knows. The condition is false before the first heartbeat. It is also false if the server, its
   * timeline, the newest incarnation or the last committed heartbeat has changed.
   */
  readonly guard: Guard = () => isKnownHistory(this.#processId, this.#expected())

  worker(): Worker {
    return { name: 'heartbeat', idleMs: beatMs, runBatch: () => this.#beatOrReport() }
  }

  /**
   * Compares the history of the database with what this process remembers, records what changed, and
   * increments the heartbeat.
   * @throws the database's error if the database cannot be reached or is read-only
   */
  async beat(): Promise<void> {
    await this.#readFile()
    const expected = this.#expected()
    const beaten = expected && (await beatIfSame(this.#parts.db, this.#name(), expected))
    if (beaten === undefined) await this.#readHistory()
    else await this.#remember(beaten)
    this.#beats += 1
    if (this.#beats % beatsPerCleaning === 1) await forgetOldBeats(this.#parts.db)
  }

  /**
   * Writes the last heartbeat of this process. Call it after all other writes. Does nothing if the history
   * has changed.
   */
  async end(): Promise<void> {
    await Promise.all(this.#running)
    const expected = this.#expected()
    const ended = expected && (await endBeat(this.#parts.db, this.#name(), expected))
    if (ended !== undefined) await this.#remember(ended, true)
    this.#known = undefined
  }

  #name(): ProcessName {
    return { processId: this.#processId, role: this.#parts.role }
  }

  #expected(): ExpectedHistory | undefined {
    return this.#known && this.#remembered && { ...this.#known, beat: this.#remembered.beat }
  }

  /** Writes a heartbeat. If the database is unreachable, logs that once; every later call tries again. */
  async #beatOrReport(): Promise<number> {
    const { log } = this.#parts
    try {
      await this.beat()
      if (this.#isFailing) log.warn({}, 'the heartbeat reaches the database again')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'the heartbeat does not reach the database, will try again')
      this.#isFailing = true
    }
    return 0
  }

  async #readFile(): Promise<void> {
    const { memory, log } = this.#parts
    if (this.#isFileRead) return
    this.#isFileRead = true
    try {
      const kept = await memory?.read()
      if (kept === undefined) return
      const { processId, ...remembered } = kept
      this.#processId = processId
      this.#remembered = remembered
    } catch (error) {
      log.warn({ err: error }, 'the file of the last heartbeat cannot be read, and a new one is started')
    }
  }

  /**
   * Reads and compares the history for the first heartbeat, and after a change. A lock lets only one process
   * at a time do this.
   */
  async #readHistory(): Promise<void> {
    const { db } = this.#parts
    const before = this.#remembered
    const found = await inTransaction(db, async (tx) => {
      await lockHistory(tx)
      const seen = await readHistory(tx, this.#name())
      const comparison = compareHistory(before, seen)
      const current = await this.#record(tx, seen, comparison)
      const beat = await joinHistory(tx, this.#name(), {
        incarnation: current.number,
        beat: before?.beat ?? 0,
      })
      return { seen, comparison, current, beat }
    })
    const { seen, comparison, current, beat } = found
    this.#known = { ...seen.server, incarnation: current.number }
    await this.#remember(beat)
    this.#reportComparison(seen, comparison, current)
  }

  async #record(
    tx: Tx,
    seen: SeenHistory,
    comparison: Comparison,
  ): Promise<{ readonly number: number; readonly cause: IncarnationCause }> {
    const current = begun(seen, comparison)
    if (comparison.type === 'began') {
      const { number, cause, lastSeenAt } = comparison
      await insertIncarnation(tx, { ...seen.server, number, cause, lastSeenAt })
      if (mustHalt(cause)) await this.#parts.halt(tx, haltDetail(current, lastSeenAt))
    }
    if (comparison.type !== 'same' && comparison.isBeatLost && this.#remembered !== undefined) {
      const { beat, beatAt } = this.#remembered
      await insertLostBeat(tx, {
        ...this.#name(),
        incarnation: current.number,
        beat,
        survivingBeat: seen.ownBeat,
        lastSeenAt: beatAt,
      })
    }
    return current
  }

  async #remember(beaten: Beaten, hasEnded = false): Promise<void> {
    const { memory, log } = this.#parts
    this.#remembered = { ...beaten, incarnation: this.#known?.incarnation ?? 0, hasEnded }
    await memory?.write({ processId: this.#processId, ...this.#remembered }).catch((error: unknown) => {
      log.warn({ err: error }, 'the last heartbeat was not written to its file')
    })
  }

  #reportComparison(
    { now, lastBeatAt }: SeenHistory,
    comparison: Comparison,
    { number, cause }: Pick<Incarnation, 'number' | 'cause'>,
  ): void {
    if (comparison.type === 'same') return
    const { log, onLoss } = this.#parts
    if (!mustHalt(cause)) {
      log[cause === 'first' ? 'info' : 'warn'](
        { incarnation: number, cause },
        'a new incarnation of the database began',
      )
      return
    }
    const lastSeenAt = comparison.lastSeenAt ?? lastBeatAt ?? now
    const isProven = comparison.isBeatLost || cause === 'loss'
    const loss = { incarnation: number, noticedAt: now, lastSeenAt, isProven }
    log.error({ alert: 'history-lost', ...loss, cause }, adviceFor(isProven))
    const running = (async () => onLoss(loss))()
      .catch((error: unknown) => {
        log.error({ incarnation: number, err: error }, 'lost data could not be restored')
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }
}

function begun(
  { current }: SeenHistory,
  comparison: Comparison,
): { readonly number: number; readonly cause: IncarnationCause } {
  if (comparison.type === 'began') return comparison
  if (current === undefined) throw new Error('a process joins an incarnation that is not recorded')
  return current
}

function adviceFor(isProven: boolean): string {
  return isProven
    ? 'the database lost committed transactions, and payouts are halted'
    : 'another database server took over, committed transactions may be missing, and payouts are halted'
}

function haltDetail(
  { number, cause }: { readonly number: number; readonly cause: IncarnationCause },
  lastSeenAt: Date | undefined,
): string {
  const since = lastSeenAt === undefined ? 'unknown' : lastSeenAt.toISOString()
  const what =
    cause === 'loss'
      ? 'the database lost committed transactions'
      : 'another database server took over, and committed transactions may be missing'
  return `incarnation ${number}: ${what}; last seen ${since}. "coffer doctor" says what to do`
}
