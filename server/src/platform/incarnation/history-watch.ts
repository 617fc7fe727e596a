/**
 * Notices when the database has gone back: every process raises a number of its own every two seconds, remembers the last
 * one that was committed, and looks for it before it raises the next. It needs no session, so that it works behind poolers
 * and across reconnects to another host.
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
import { type Memory, readMemory, writeMemory } from './memory-file.ts'
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
  /** What the process does, for people: "api", or several with a plus between them. */
  readonly role: string
  /** Undefined where there is no folder for it. */
  readonly memoryPath: string | undefined
  /** Keeps money from leaving until an operator has looked; in the transaction that records the incarnation. */
  readonly halt: (tx: Tx, detail: string) => Promise<void>
  /** Called once for each incarnation that began with a loss, or may have. What it throws is logged. */
  readonly onLoss: (loss: Loss) => void | Promise<void>
}

/** The server and incarnation on which this process works. */
export interface KnownHistory extends ServerHistory {
  readonly incarnation: number
}

const beatMs = 2_000
/** Old rows are looked for with each so-many-th beat: about every hour. */
const beatsPerCleaning = 1_800

export class HistoryWatch {
  readonly #parts: HistoryWatchParts
  #processId = newId()
  #known: KnownHistory | undefined
  #remembered: Remembered | undefined
  #isFileRead = false
  #isFailing = false
  #beats = 0
  /** Hooks that are under way. */
  readonly #running = new Set<Promise<void>>()

  constructor(parts: HistoryWatchParts) {
    this.#parts = parts
  }

  /** What this process works on; undefined before its first beat. */
  get known(): KnownHistory | undefined {
    return this.#known
  }

  /**
   * The condition under which a statement writes on the history that this process knows. False before the first beat, and
   * wherever the server, its timeline, the newest incarnation or the last committed beat are not as they were.
   */
  readonly guard: Guard = () => isKnownHistory(this.#processId, this.#expected())

  worker(): Worker {
    return { name: 'heartbeat', idleMs: beatMs, takeAndDo: () => this.#beatOrTell() }
  }

  /**
   * Compares, records what changed, and raises the number.
   * @throws the database's error where it cannot be reached or takes no writes
   */
  async beat(): Promise<void> {
    await this.#readFile()
    const expected = this.#expected()
    const beaten = expected && (await beatIfSame(this.#parts.db, this.#name(), expected))
    if (beaten === undefined) await this.#look()
    else await this.#remember(beaten)
    this.#beats += 1
    if (this.#beats % beatsPerCleaning === 1) await forgetOldBeats(this.#parts.db)
  }

  /** The last beat, after everything that this process writes. Nothing is done where the history is not the known one. */
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

  /** A database that is away is told of once; the next beat tries again. */
  async #beatOrTell(): Promise<number> {
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
    const { memoryPath, log } = this.#parts
    if (this.#isFileRead) return
    this.#isFileRead = true
    if (memoryPath === undefined) return
    try {
      const memory = await readMemory(memoryPath)
      if (memory === undefined) return
      const { processId, ...remembered } = memory
      this.#processId = processId
      this.#remembered = remembered
    } catch (error) {
      log.warn(
        { path: memoryPath, err: error },
        'the file of the last heartbeat cannot be read: memory begins anew',
      )
    }
  }

  /** Something is not as it was, or this is the first beat: compares in full, one process at a time. */
  async #look(): Promise<void> {
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
    this.#tell(seen, comparison, current)
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
    const { memoryPath, log } = this.#parts
    this.#remembered = { ...beaten, incarnation: this.#known?.incarnation ?? 0, hasEnded }
    if (memoryPath === undefined) return
    const memory: Memory = { processId: this.#processId, ...this.#remembered }
    await writeMemory(memoryPath, memory).catch((error: unknown) => {
      log.warn({ path: memoryPath, err: error }, 'the last heartbeat was not kept in its file')
    })
  }

  #tell(
    { now, lastBeatAt }: SeenHistory,
    comparison: Comparison,
    { number, cause }: Pick<Incarnation, 'number' | 'cause'>,
  ): void {
    if (comparison.type === 'same') return
    const { log, onLoss } = this.#parts
    if (!mustHalt(cause)) {
      log[cause === 'first' ? 'info' : 'warn'](
        { incarnation: number, cause },
        'an incarnation of the database began',
      )
      return
    }
    const lastSeenAt = comparison.lastSeenAt ?? lastBeatAt ?? now
    const isProven = comparison.isBeatLost || cause === 'loss'
    const loss = { incarnation: number, noticedAt: now, lastSeenAt, isProven }
    log.error({ alert: 'history-lost', ...loss, cause }, toldOf(isProven))
    const running = (async () => onLoss(loss))()
      .catch((error: unknown) => {
        log.error({ incarnation: number, err: error }, 'what was lost could not be put back')
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
  if (current === undefined) throw new Error('a process joins an incarnation that nobody recorded')
  return current
}

function toldOf(isProven: boolean): string {
  return isProven
    ? 'the database went back: something that was committed is gone, and payouts are halted'
    : 'another database server took over, and nobody knows whether anything is missing: payouts are halted'
}

function haltDetail(
  { number, cause }: { readonly number: number; readonly cause: IncarnationCause },
  lastSeenAt: Date | undefined,
): string {
  const since = lastSeenAt === undefined ? 'unknown' : lastSeenAt.toISOString()
  const what =
    cause === 'loss'
      ? 'the database went back, and what was committed later is gone'
      : 'another database server took over, and what was committed later may be gone'
  return `incarnation ${number}: ${what}; last seen ${since}. "coffer doctor" says what to do`
}
