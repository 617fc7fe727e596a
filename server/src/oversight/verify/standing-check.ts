/** The proof of the books that never ends: what it finds broken stops all payouts until an operator has looked. */
import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { findLastSeal, type Seal } from '../../ledger/store.ts'
import { saveBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { haltPayouts } from '../../outgoing/engine/controls/halts.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { LineSums } from './books/summed-lines.ts'
import type { Proof } from './proof.ts'
import { forgetProof, readDatabaseTime, readProof, saveProof } from './proof-store.ts'
import { type LookedAgain, toldOf, walkRounds } from './rounds.ts'
import { type LooksParts, runInvariant, runInvariantSince, sumAllLines, sumLinesSince } from './run-looks.ts'
import { invariants, readSince } from './verify.ts'

export interface StandingCheckParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Those of the books; what the chain holds and what history was is for `coffer verify`. */
export const standing: ReadonlySet<string> = new Set([
  'M1',
  'M2',
  'M3',
  'M4',
  'M5',
  'M6',
  'M9',
  'M10',
  'M10-take-outs',
])

/**
 * So many times as long as a run it rests. After one that began with a proof the database is busy with it for a small part of the
 * time, however large the books are. A look at everything that was proven is not repeated, so that its length says nothing of the
 * next run's. One that was not proven is: it takes half of the time at most, since what comes is not to wait for long.
 */
const restsPerRun = { 'on from a proof': 20, 'to a first proof': 0, 'to no proof': 1 } as const

/** So many rests may go by without a check that ends, and the time that a restart takes. */
const checksMissedMax = 3

/** Checks the books again and again, one process at a time. */
export function keepBooksChecked(parts: StandingCheckParts): Promise<void> {
  const { db, clock, log, signal } = parts
  const lease = { db, name: 'check books', ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(standingCheck(parts), { clock, log, signal: held }))
}

/**
 * It never lifts a halt: what was broken and is not any more is worth a look all the more. Where it cannot come to its end,
 * whatever the reason, payouts wait for it (`readBooksCheck`).
 */
export function standingCheck(
  parts: Pick<StandingCheckParts, 'db' | 'methods' | 'log'>,
  again = lookAgain(parts),
): Worker {
  let restMs: number = limits.standingCheckMs
  return {
    name: 'check books',
    get idleMs() {
      return restMs
    },
    takeAndDo: async () => {
      const beganMs = performance.now()
      const { breaches, went } = await checkBooks(parts, again)
      restMs = Math.max(limits.standingCheckMs, restsPerRun[went] * (performance.now() - beganMs))
      if (breaches.length > 0) await haltPayouts(parts, 'books', breaches.join('; ').slice(0, detailCharsMax))
      await saveBooksCheck(parts.db, checksMissedMax * restMs + limits.standingCheckGraceMs)
      return 0
    },
  }
}

const detailCharsMax = 2_000

/** What one run adds to the look at what was proven before, in which everything is looked at again in time. */
const againMs = 2_000

/** Sums are proven anew after so many seals, or so long: then less is read by the next run. */
const keptAfterSeals = 1_000
const keptAfterMs = 10 * 60_000

type CheckParts = Pick<StandingCheckParts, 'db' | 'methods'> & Pick<LooksParts, 'rowsMost'>

/**
 * What is broken in the books, a sentence each: by what changed since the run before, and a little of all that was proven before.
 * Everything is looked at where nothing was proven yet.
 */
export async function findBreaches(parts: CheckParts, again = lookAgain(parts)): Promise<readonly string[]> {
  return (await checkBooks(parts, again)).breaches
}

interface Checked {
  readonly breaches: readonly string[]
  readonly went: keyof typeof restsPerRun
}

async function checkBooks(parts: CheckParts, again: ReturnType<typeof lookAgain>): Promise<Checked> {
  const { db } = parts
  const looks = looksOfCheck(parts)
  const beganAt = await readDatabaseTime(db)
  const head = await findLastSeal(db)
  const last = await readProof(db, 'standing')
  const known = typeof last === 'object' ? last : undefined
  const { found, sums } =
    known === undefined ? await findAll(looks, head?.sequence ?? 0) : await findSince(looks, known, head)
  const older = await again(againMs)
  // A finding in rows that changed since the proof is found again by the next run. Any other finding is in rows that the next run would
  // skip, so the proof is deleted.
  if (older.found.length > 0 || (known === undefined && found.length > 0)) await forgetProof(db, 'standing')
  const breaches = [...new Set([...found, ...older.found])]
  const isDue = known === undefined || older.fullAt !== undefined || isGrown(known, sums, beganAt)
  if (breaches.length === 0 && isDue) {
    const hash = head?.hash.toString('hex')
    const fullAt = known === undefined ? beganAt : (older.fullAt ?? known.fullAt)
    await saveProof(db, { prover: 'standing', hash, sums, beganAt, fullAt })
  }
  if (known !== undefined) return { breaches, went: 'on from a proof' }
  return {
    breaches,
    went: breaches.length === 0 && db.macs !== undefined ? 'to a first proof' : 'to no proof',
  }
}

interface Breaches {
  readonly found: readonly string[]
  readonly sums: LineSums
}

const checked = invariants.filter(({ id }) => standing.has(id))

function looksOfCheck({ db, methods, rowsMost }: CheckParts): LooksParts {
  return { db, methods, rowsMost, attested: undefined, signal: new AbortController().signal }
}

function isGrown(known: Proof, { sequence }: LineSums, now: Date): boolean {
  return (
    sequence - known.sums.sequence >= keptAfterSeals || now.getTime() - known.beganAt.getTime() >= keptAfterMs
  )
}

async function findAll(looks: LooksParts, sequence: number): Promise<Breaches> {
  let sums: LineSums = { sequence, accounts: new Map() }
  for await (const stretch of sumAllLines(looks, sequence)) sums = stretch
  const found: string[] = []
  for (const invariant of checked)
    found.push(...toldOf(invariant, await runInvariant(invariant, { ...looks, sums })))
  return { found, sums }
}

async function findSince(looks: LooksParts, known: Proof, head: Seal | undefined): Promise<Breaches> {
  const sums = await sumLinesSince(known.sums, looks, head?.sequence ?? 0)
  const since = await readSince(looks, known)
  const found: string[] = []
  for (const invariant of checked)
    found.push(...toldOf(invariant, await runInvariantSince(invariant, { ...looks, sums }, since)))
  return { found, sums }
}

/** Looks again at what was proven before, for as long as it may. */
export function lookAgain(parts: CheckParts): (forMs: number) => Promise<LookedAgain> {
  return walkRounds(looksOfCheck(parts), checked)
}
