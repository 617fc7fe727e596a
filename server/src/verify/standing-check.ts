/** The proof of the books that never ends: what it finds broken stops all payouts until an operator has looked. */
import type { Clock } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { type Worker, workLoop } from '../core/work-loop.ts'
import { withLease } from '../db/lease.ts'
import type { Db } from '../db/pool.ts'
import { findLastSeal, type Seal } from '../ledger/store.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { saveBooksCheck } from '../payouts/books-check-store.ts'
import { haltPayouts } from '../payouts/halts.ts'
import type { Invariant, Outcome } from './invariant.ts'
import type { Proof } from './proof.ts'
import { readDatabaseTime, readProof, saveProof } from './proof-store.ts'
import {
  type LooksParts,
  looksOf,
  runInvariant,
  runInvariantSince,
  sumAllLines,
  sumLinesSince,
} from './run-looks.ts'
import type { LineSums } from './summed-lines.ts'
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
  ...['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M9', 'M10'],
  'M10-take-outs',
])

/** So much of the time at most the database is busy with it, however large the books are. */
const restsPerRun = 20

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
export function standingCheck(parts: Pick<StandingCheckParts, 'db' | 'methods' | 'log'>): Worker {
  let restMs: number = limits.standingCheckMs
  const again = lookAgain(parts)
  return {
    name: 'check books',
    get idleMs() {
      return restMs
    },
    takeAndDo: async () => {
      const beganMs = performance.now()
      const breaches = await findBreaches(parts, again)
      restMs = Math.max(limits.standingCheckMs, restsPerRun * (performance.now() - beganMs))
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

type CheckParts = Pick<StandingCheckParts, 'db' | 'methods'>

/**
 * What is broken in the books, a sentence each: by what changed since the run before, and a little of all that was proven before.
 * Everything is looked at where nothing was proven yet.
 */
export async function findBreaches(parts: CheckParts, again = lookAgain(parts)): Promise<readonly string[]> {
  const { db } = parts
  const looks = looksOfCheck(parts)
  const beganAt = await readDatabaseTime(db)
  const head = await findLastSeal(db)
  const last = await readProof(db, 'standing')
  const known = typeof last === 'object' ? last : undefined
  const breaches =
    known === undefined ? await findAll(looks, head?.sequence ?? 0) : await findSince(looks, known, head)
  const found = [...breaches.found, ...(await again(againMs))]
  const isDue = known === undefined || isGrown(known, breaches.sums, beganAt)
  if (found.length === 0 && isDue) {
    const proof = {
      prover: 'standing',
      hash: head?.hash.toString('hex'),
      sums: breaches.sums,
      beganAt,
    } as const
    await saveProof(db, { ...proof, fullAt: known?.fullAt ?? beganAt })
  }
  return [...new Set(found)]
}

interface Breaches {
  readonly found: readonly string[]
  readonly sums: LineSums
}

const checked = invariants.filter(({ id }) => standing.has(id))

function looksOfCheck({ db, methods }: CheckParts): LooksParts {
  return { db, methods, attested: undefined, signal: new AbortController().signal }
}

function isGrown(known: Proof, { sequence }: LineSums, now: Date): boolean {
  return (
    sequence - known.sums.sequence >= keptAfterSeals || now.getTime() - known.beganAt.getTime() >= keptAfterMs
  )
}

function told({ id }: Invariant, { findings }: Pick<Outcome, 'findings'>): readonly string[] {
  return findings.map((finding) => `${id}: ${finding}`)
}

async function findAll(looks: LooksParts, sequence: number): Promise<Breaches> {
  let sums: LineSums = { sequence, accounts: new Map() }
  for await (const stretch of sumAllLines(looks, sequence)) sums = stretch
  const found: string[] = []
  for (const invariant of checked)
    found.push(...told(invariant, await runInvariant(invariant, { ...looks, sums })))
  return { found, sums }
}

async function findSince(looks: LooksParts, known: Proof, head: Seal | undefined): Promise<Breaches> {
  const sums = await sumLinesSince(known.sums, looks, head?.sequence ?? 0)
  const since = await readSince(looks, known)
  const found: string[] = []
  for (const invariant of checked)
    found.push(...told(invariant, await runInvariantSince(invariant, { ...looks, sums }, since)))
  return { found, sums }
}

/** Goes through all of the books for as long as it may, and on from there the next time; it rests where it came round. */
export function lookAgain(parts: CheckParts): (forMs: number) => Promise<readonly string[]> {
  let round: AsyncGenerator<readonly string[], void, void> | undefined
  return async (forMs) => {
    const untilMs = performance.now() + forMs
    const found: string[] = []
    try {
      do {
        round ??= lookRound(looksOfCheck(parts))
        const { value, done } = await round.next()
        if (done === true) {
          round = undefined
          return found
        }
        found.push(...value)
      } while (performance.now() < untilMs)
      return found
    } catch (error) {
      round = undefined
      throw error
    }
  }
}

/** It begins anywhere, so that a process that is often started anew looks at everything too. */
async function* lookRound(looks: LooksParts): AsyncGenerator<readonly string[], void, void> {
  const cut = checked.filter(({ parts }) => parts.some(({ table }) => table !== undefined))
  const rounds = [() => lookAtSums(looks), ...cut.map((invariant) => () => lookThrough(invariant, looks))]
  const first = Math.floor(Math.random() * rounds.length)
  for (const look of [...rounds.slice(first), ...rounds.slice(0, first)]) yield* look()
}

async function* lookThrough(
  invariant: Invariant,
  looks: LooksParts,
): AsyncGenerator<readonly string[], void, void> {
  for (const part of invariant.parts)
    for await (const looked of looksOf(part, looks)) yield told(invariant, looked)
}

async function* lookAtSums(looks: LooksParts): AsyncGenerator<readonly string[], void, void> {
  const head = await findLastSeal(looks.db)
  let sums: LineSums = { sequence: head?.sequence ?? 0, accounts: new Map() }
  for await (const stretch of sumAllLines(looks, sums.sequence)) {
    sums = stretch
    yield []
  }
  const compared = checked.filter(({ parts }) => parts.some(({ needsSums }) => needsSums))
  for (const invariant of compared) yield told(invariant, await runInvariant(invariant, { ...looks, sums }))
}
