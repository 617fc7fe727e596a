/**
 * Checks the books continuously while Coffer runs. A violation halts all payouts until an operator lifts the
 * halt.
 */
import { type Clock, monotonicMs } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { findLastSeal, type Seal } from '../../ledger/store.ts'
import { saveBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { haltOutgoing } from '../../outgoing/engine/controls/halts.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { LineSums } from './books/summed-lines.ts'
import type { Proof } from './proof.ts'
import { forgetProof, readDatabaseTime, readProof, saveProof } from './proof-store.ts'
import { findingsOf, type RescanResult, runRounds } from './rounds.ts'
import { runInvariant, runInvariantSince, type ScanParts, sumAllLines, sumLinesSince } from './run-scans.ts'
import { invariants, readSince } from './verify.ts'

export interface ContinuousCheckParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * The invariants that are fast enough to be checked all the time. Only `coffer verify` checks the others, for
 * example those about the chain and the sealed history.
 */
export const continuousIds: ReadonlySet<string> = new Set([
  'M1',
  'M2',
  'M3',
  'M4',
  'M5',
  'M6',
  'M9',
  'M10',
  'M10-treasury-withdrawals',
])

/**
 * The pause after a run, as a multiple of the run's duration. It depends on the kind of run:
 * - After a run that continued from a proof it is 20. The check then takes about 5 % of the database's
 *   time, for books of any size.
 * - After a full run that made the first proof it is 0. The next run continues from that proof, so the
 *   duration of the full run says nothing about the next one.
 * - After a full run that made no proof it is 1. The full run is repeated, and takes half of the time, so
 *   that new rows are checked soon.
 */
const restsPerRun = { 'on from a proof': 20, 'to a first proof': 0, 'to no proof': 1 } as const

/**
 * If no check was completed within this many pauses, payouts wait until one is completed. The time that a
 * restart takes (`limits.continuousCheckGraceMs`) is added to the pauses.
 */
const checksMissedMax = 3

/** Checks the books again and again until the signal aborts. Only one process at a time does so. */
export function keepBooksChecked(parts: ContinuousCheckParts): Promise<void> {
  const { db, clock, log, signal } = parts
  const lease = { db, name: 'check books', ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(continuousCheck(parts), { clock, log, signal: held }))
}

/**
 * Returns the worker that checks the books. The worker never lifts a halt, because a violation that
 * disappeared is even more suspicious. If checks cannot be completed, for whatever reason, payouts wait for a
 * complete check (`readBooksCheck`).
 */
export function continuousCheck(
  parts: Pick<ContinuousCheckParts, 'db' | 'methods' | 'log'>,
  again = rescan(parts),
): Worker {
  let restMs: number = limits.continuousCheckMs
  return {
    name: 'check books',
    get idleMs() {
      return restMs
    },
    runBatch: async () => {
      const beganMs = monotonicMs()
      const { violations, went } = await checkBooks(parts, again)
      restMs = Math.max(limits.continuousCheckMs, restsPerRun[went] * (monotonicMs() - beganMs))
      if (violations.length > 0)
        await haltOutgoing(parts, 'books', violations.join('; ').slice(0, detailCharsMax))
      await saveBooksCheck(parts.db, checksMissedMax * restMs + limits.continuousCheckGraceMs)
      return 0
    },
  }
}

/** Maximum length of the text of a halt. The text of more violations is cut off. */
export const detailCharsMax = 2_000

/**
 * The time that each run spends on checking rows again that were proven before. Many runs together check all
 * of them.
 */
const againMs = 2_000

/** A new proof is saved after this many seals or this much time, so that the next run has less to read. */
const keptAfterSeals = 1_000
const keptAfterMs = 10 * 60_000

type CheckParts = Pick<ContinuousCheckParts, 'db' | 'methods'> & Pick<ScanParts, 'rowsMost'>

/**
 * Returns the violations in the books, one sentence each. Checks what changed since the last proof, and
 * checks a part of the proven rows again. Without a proof, checks everything.
 */
export async function findViolations(parts: CheckParts, again = rescan(parts)): Promise<readonly string[]> {
  return (await checkBooks(parts, again)).violations
}

interface Checked {
  readonly violations: readonly string[]
  readonly went: keyof typeof restsPerRun
}

async function checkBooks(parts: CheckParts, again: ReturnType<typeof rescan>): Promise<Checked> {
  const { db } = parts
  const scanParts = scanPartsOf(parts)
  const beganAt = await readDatabaseTime(db)
  const head = await findLastSeal(db)
  const last = await readProof(db, 'continuous')
  const known = typeof last === 'object' ? last : undefined
  const { found, sums } =
    known === undefined
      ? await findAll(scanParts, head?.sequence ?? 0)
      : await findSince(scanParts, known, head)
  const older = await again(againMs)
  // The next run checks only rows that changed after the proof. If a violation is in an older row, the next
  // run would skip it, so the proof is deleted.
  if (older.found.length > 0 || (known === undefined && found.length > 0)) await forgetProof(db, 'continuous')
  const violations = [...new Set([...found, ...older.found])]
  const isDue = known === undefined || older.fullAt !== undefined || isGrown(known, sums, beganAt)
  if (violations.length === 0 && isDue) {
    const hash = head?.hash.toString('hex')
    const fullAt = known === undefined ? beganAt : (older.fullAt ?? known.fullAt)
    await saveProof(db, { prover: 'continuous', hash, sums, beganAt, fullAt })
  }
  if (known !== undefined) return { violations, went: 'on from a proof' }
  return {
    violations,
    went: violations.length === 0 && db.macs !== undefined ? 'to a first proof' : 'to no proof',
  }
}

interface Violations {
  readonly found: readonly string[]
  readonly sums: LineSums
}

const checked = invariants.filter(({ id }) => continuousIds.has(id))

function scanPartsOf({ db, methods, rowsMost }: CheckParts): ScanParts {
  return { db, methods, rowsMost, attested: undefined, signal: new AbortController().signal }
}

function isGrown(known: Proof, { sequence }: LineSums, now: Date): boolean {
  return (
    sequence - known.sums.sequence >= keptAfterSeals || now.getTime() - known.beganAt.getTime() >= keptAfterMs
  )
}

async function findAll(scanParts: ScanParts, sequence: number): Promise<Violations> {
  let sums: LineSums = { sequence, accounts: new Map() }
  for await (const stretch of sumAllLines(scanParts, sequence)) sums = stretch
  const found: string[] = []
  for (const invariant of checked)
    found.push(...findingsOf(invariant, await runInvariant(invariant, { ...scanParts, sums })))
  return { found, sums }
}

async function findSince(scanParts: ScanParts, known: Proof, head: Seal | undefined): Promise<Violations> {
  const sums = await sumLinesSince(known.sums, scanParts, head?.sequence ?? 0)
  const since = await readSince(scanParts, known)
  const found: string[] = []
  for (const invariant of checked)
    found.push(...findingsOf(invariant, await runInvariantSince(invariant, { ...scanParts, sums }, since)))
  return { found, sums }
}

/** Returns a function that checks proven rows again for a given time. */
export function rescan(parts: CheckParts): (forMs: number) => Promise<RescanResult> {
  return runRounds(scanPartsOf(parts), checked)
}
