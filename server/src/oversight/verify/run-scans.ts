/**
 * Runs the parts of invariants, each scan in a short snapshot of its own. The range of ids that one scan
 * covers is called a stretch.
 */

import sql from 'sql-template-tag'
import { monotonicMs } from '../../core/clock.ts'
import { limits } from '../../core/limits.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import { inTransaction, isLockTimeout, sqlState, type Tx } from '../../platform/db/transaction.ts'
import { addSums, type LineSum, type LineSums, sumSeals, sumStretch } from './books/summed-lines.ts'
import { type Changed, firstRowSince } from './changed.ts'
import type { Invariant, Outcome, Part, ScanRange, ScanResult, Snapshot } from './invariant.ts'
import { outcomeOf } from './scan.ts'

/** The context of scans; each scan opens its own snapshot. */
export interface ScanParts extends Omit<Snapshot, 'on'> {
  readonly db: Db
  readonly signal: AbortSignal
  /** Called after each scan with the number of rows that the scan covered. */
  readonly progress?: (rows: number) => void
  /** Maximum number of rows in a stretch (a range of ids). */
  readonly rowsMost?: number | undefined
  /**
   * Timeout of a statement about a stretch (a range of ids). A stretch of a single row gets a longer timeout.
   */
  readonly stretchMs?: number | undefined
}

/** Target duration of a scan. The number of rows of the next scan is chosen to meet it. */
const wantedMs = 100
const rowsFirst = 2_000
/**
 * Usual minimum number of rows of a scan. A scan of fewer rows would take the same time, because its fixed
 * cost exceeds the cost of its rows.
 */
const rowsUsuallyLeast = 200
const rowsLeast = 1
const rowsUsuallyMost = 100_000

/**
 * Timeouts of a statement about a stretch (a range of ids), and of a statement about a whole part, which may
 * take much longer.
 */
const statementMs = 10_000
const wholeStatementMs = 10 * 60_000

/** Checks all parts of an invariant and returns the outcome. */
export async function runInvariant(invariant: Invariant, parts: ScanParts): Promise<Outcome> {
  const results: ScanResult[] = []
  for (const part of invariant.parts) results.push(...(await runPart(part, parts)))
  return outcomeOf(results)
}

/**
 * The end of a proof, and what changed since: the sequence number of the proof's last seal, the lowest id of
 * rows made since the proof, and the older rows that changed.
 */
export interface SinceProof {
  readonly sequence: number
  readonly firstId: string
  readonly changed: Changed
}

/** Checks an invariant for the rows that changed since a proof, and returns the outcome. */
export async function runInvariantSince(
  invariant: Invariant,
  parts: ScanParts,
  since: SinceProof,
): Promise<Outcome> {
  const results: ScanResult[] = []
  let isLeftOut = true
  for (const part of invariant.parts) {
    const result = await runPartSince(part, parts, since)
    if (result !== undefined) isLeftOut = false
    results.push(...(result ?? []))
  }
  return isLeftOut ? { examined: 0, findings: [], skipped: 'only a full run checks it' } : outcomeOf(results)
}

/**
 * Checks the rows of a part that changed since a proof. Returns undefined if only a full run checks the part.
 */
async function runPartSince(
  part: Part,
  parts: ScanParts,
  since: SinceProof,
): Promise<readonly ScanResult[] | undefined> {
  const { table, since: which = 'all' } = part
  if (which === 'none') return undefined
  if (which === 'all' || table === undefined) return runPart(part, parts)
  const from = firstRowSince(table, since)
  if (from === undefined) return undefined
  const newer = await runPart(part, parts, from)
  return which === 'newer' ? newer : [...newer, ...(await runIds(part, since.changed[which], parts))]
}

async function runPart(part: Part, parts: ScanParts, from?: string): Promise<readonly ScanResult[]> {
  const results: ScanResult[] = []
  for await (const result of scansOf(part, parts, from)) results.push(result)
  return results
}

/** Yields the results of a part's scans, one after the other. */
export async function* scansOf(
  part: Part,
  parts: ScanParts,
  from?: string,
): AsyncGenerator<ScanResult, void, void> {
  const isCut = part.table !== undefined
  const scan = (at: ScanRange, isPatient: boolean) =>
    scanTwice(isPatient ? patient(parts) : parts, isCut, (snapshot) => part.scan(snapshot, at))
  for await (const result of inStretches(isCut, parts, scan, from)) {
    parts.progress?.(result.rows)
    yield result
  }
}

/**
 * Scans one stretch (range of ids) after another, each with as many rows as take about `wantedMs`. If a
 * stretch exceeds its timeout, a shorter one is scanned. A stretch of a single row cannot be made shorter; it
 * may be a merchant with all rows that belong to it. Such a stretch is scanned again with a longer timeout.
 */
async function* inStretches<T extends { readonly next: string | undefined }>(
  isCut: boolean,
  { signal, rowsMost = rowsUsuallyMost }: Pick<ScanParts, 'signal' | 'rowsMost'>,
  scan: (at: ScanRange, isPatient: boolean) => Promise<T>,
  first?: string,
): AsyncGenerator<T, void, void> {
  let rows = Math.min(rowsFirst, rowsMost)
  let from = first
  let isPatient = false
  for (;;) {
    signal.throwIfAborted()
    const beganMs = monotonicMs()
    const seen = await scan({ from, rows }, isPatient).catch((error: unknown) => {
      if (!isCut || !isTimeout(error) || isPatient) throw error
      return undefined
    })
    if (seen === undefined) {
      isPatient = rows <= rowsLeast
      rows = Math.max(rowsLeast, Math.floor(rows / 8))
      continue
    }
    const tookMs = Math.max(1, monotonicMs() - beganMs)
    const fitting = Math.floor(rows * Math.min(4, wantedMs / tookMs))
    rows = Math.min(rowsMost, Math.max(Math.min(rows, rowsUsuallyLeast), fitting))
    isPatient = false
    yield seen
    if (seen.next === undefined) return
    from = seen.next
  }
}

function patient(parts: ScanParts): ScanParts {
  return { ...parts, stretchMs: wholeStatementMs }
}

/**
 * Scans a second time, in a new snapshot, if the first scan has findings. Only the second result counts,
 * because a change that was half done in the first snapshot is complete in the second.
 */
async function scanTwice(
  parts: ScanParts,
  isCut: boolean,
  scan: (snapshot: Snapshot) => Promise<ScanResult>,
): Promise<ScanResult> {
  const result = await inShortSnapshot(parts, isCut, scan)
  return result.findings.length === 0 ? result : inShortSnapshot(parts, isCut, scan)
}

/** Checks the rows with the given ids, in batches of `idsAtOnce` ids. */
async function runIds(part: Part, ids: readonly string[], parts: ScanParts): Promise<readonly ScanResult[]> {
  const { scanIds } = part
  if (scanIds === undefined) return []
  const results: ScanResult[] = []
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    parts.signal.throwIfAborted()
    const some = ids.slice(from, from + idsAtOnce)
    const result = await scanTwice(parts, true, (snapshot) => scanIds(snapshot, some))
    results.push(result)
    parts.progress?.(result.rows)
  }
  return results
}

const idsAtOnce = 500

/**
 * Runs a scan in a read-only snapshot with a timeout for each statement. If this process dies, PostgreSQL
 * notices this within seconds, even during a statement, and ends the session. If a table is locked, for
 * example by a migration, the scan waits for the lock.
 */
export async function inShortSnapshot<T>(
  parts: ScanParts,
  isCut: boolean,
  scan: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inSnapshot(parts, isCut, scan)
    } catch (error) {
      if (!isLockTimeout(error) || tries >= lockTries) throw error
      parts.signal.throwIfAborted()
    }
  }
}

/** Maximum number of attempts to get a lock. Each attempt waits for `limits.lockTimeoutMs`. */
const lockTries = 60

function inSnapshot<T>(
  { db, methods, attested, sums, stretchMs = statementMs }: ScanParts,
  isCut: boolean,
  scan: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    await boundStatements(tx, isCut ? stretchMs : wholeStatementMs)
    if (isCut) await tx.query(planForStretches)
    return scan({ on: tx, methods, attested, sums })
  })
}

/**
 * Makes PostgreSQL use indexes to find the rows of a stretch (range of ids) and the rows of other tables that
 * belong to them. With its usual settings, PostgreSQL reads whole tables or indexes for each stretch, with
 * several workers.
 */
const planForStretches = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('random_page_cost', '0.1', true), set_config('cpu_operator_cost', '0.0005', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`

async function boundStatements(tx: Tx, timeoutMs: number): Promise<void> {
  await tx.allowStatements(timeoutMs)
  await tx.query(sql`
    select set_config('client_connection_check_interval', ${`${limits.clientCheckMs}`}, true),
      set_config('idle_in_transaction_session_timeout', ${`${limits.statementTimeoutMs * 12}`}, true)`)
}

function isTimeout(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** The sums of the lines that were read so far. The next stretch (range of ids) begins at the id `from`. */
export interface SumsSoFar {
  readonly accounts: Map<number, LineSum>
  from: string | undefined
}

/**
 * Adds up the lines of all journals up to a seal, one stretch (range of ids) after another. Yields the sums
 * after each stretch. Only the last value includes all lines.
 */
export async function* sumAllLines(
  parts: ScanParts,
  sequence: number,
  soFar: SumsSoFar = { accounts: new Map(), from: undefined },
): AsyncGenerator<LineSums, void, void> {
  const { accounts } = soFar
  const scan = ({ from, rows }: ScanRange, isPatient: boolean) =>
    inShortSnapshot(isPatient ? patient(parts) : parts, true, ({ on }) =>
      sumStretch(on, { sequence, from, rows }),
    )
  for await (const stretch of inStretches(true, parts, scan, soFar.from)) {
    addSums(accounts, stretch.accounts)
    soFar.from = stretch.next
    yield { sequence, accounts }
  }
}

const sealsAtOnce = 20_000

/** Returns the sums of all lines up to the seal `sequence`, by adding newer lines to the sums `known`. */
export async function sumLinesSince(known: LineSums, parts: ScanParts, sequence: number): Promise<LineSums> {
  const accounts = new Map(known.accounts)
  for (let after = known.sequence; after < sequence; after += sealsAtOnce) {
    const upTo = Math.min(sequence, after + sealsAtOnce)
    addSums(accounts, await inShortSnapshot(parts, true, ({ on }) => sumSeals(on, after, upTo)))
  }
  return { sequence, accounts }
}

/** Cancels the running statements of all connections with a given application name. */
export async function cancelStatements(on: Queryable, name: string): Promise<void> {
  await on.query(sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where application_name = ${name} and state = 'active' and pid <> pg_backend_pid()`)
}
