/** The proof of the books that never ends: what it finds broken stops all payouts until an operator has looked. */
import sql from 'sql-template-tag'
import type { Clock } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { type Worker, workLoop } from '../core/work-loop.ts'
import { withLease } from '../db/lease.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { saveBooksCheck } from '../payouts/books-check-store.ts'
import { haltPayouts } from '../payouts/halts.ts'
import { invariants } from './verify.ts'

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
  return {
    name: 'check books',
    get idleMs() {
      return restMs
    },
    takeAndDo: async () => {
      const beganMs = performance.now()
      const breaches = await findBreaches(parts)
      restMs = Math.max(limits.standingCheckMs, restsPerRun * (performance.now() - beganMs))
      if (breaches.length > 0) await haltPayouts(parts, 'books', breaches.join('; ').slice(0, detailCharsMax))
      await saveBooksCheck(parts.db, checksMissedMax * restMs + limits.standingCheckGraceMs)
      return 0
    },
  }
}

const detailCharsMax = 2_000

/** What is broken in the books at this moment, a sentence each. */
export function findBreaches({
  db,
  methods,
}: Pick<StandingCheckParts, 'db' | 'methods'>): Promise<readonly string[]> {
  return inTransaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    await tx.query(sql`set local statement_timeout = 0`)
    const breaches: string[] = []
    for (const invariant of invariants.filter(({ id }) => standing.has(id))) {
      const { findings } = await invariant.check({ on: tx, methods })
      breaches.push(...findings.map((finding) => `${invariant.id}: ${finding}`))
    }
    return breaches
  })
}
