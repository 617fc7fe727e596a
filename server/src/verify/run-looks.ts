/** Goes through the parts of invariants, each look in a short snapshot of its own. */
import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, sqlState, type Tx } from '../db/transaction.ts'
import type { Invariant, Outcome, Snapshot } from './invariant.ts'
import { type Looked, outcomeOf, type Part } from './look.ts'
import { addSums, type LineSum, type LineSums, sumStretch } from './summed-lines.ts'

/** What looks work with; the snapshot of each is opened here. */
export interface LooksParts extends Omit<Snapshot, 'on'> {
  readonly db: Db
  readonly signal: AbortSignal
  /** Is told of each look: rows of which table were gone through. */
  readonly progress?: (rows: number) => void
}

/** The rows of a look are as many as take about so long. */
const wantedMs = 400
const rowsFirst = 2_000
const rowsLeast = 20
const rowsMost = 100_000

/** What a part that is looked at whole may take: longer than a stretch, and far from for ever. */
const statementMs = 10_000
const wholeStatementMs = 10 * 60_000

/** What an invariant comes to, part after part. */
export async function runInvariant(invariant: Invariant, parts: LooksParts): Promise<Outcome> {
  const looks: Looked[] = []
  for (const part of invariant.parts) looks.push(...(await runPart(part, parts)))
  return outcomeOf(looks)
}

export async function runPart(part: Part, parts: LooksParts): Promise<readonly Looked[]> {
  const looks: Looked[] = []
  await inStretches(part.table !== undefined, parts, async (at) => {
    const looked = await lookTwice(parts, part.table !== undefined, (snapshot) => part.look(snapshot, at))
    looks.push(looked)
    parts.progress?.(looked.rows)
    return looked.next
  })
  return looks
}

/** Goes on where each stretch ends, with as many rows as take a moment. A stretch that takes too long is cut shorter. */
async function inStretches(
  isCut: boolean,
  { signal }: Pick<LooksParts, 'signal'>,
  look: (at: { from: string | undefined; rows: number }) => Promise<string | undefined>,
): Promise<void> {
  let rows = rowsFirst
  let from: string | undefined
  do {
    signal.throwIfAborted()
    const beganMs = performance.now()
    try {
      from = await look({ from, rows })
    } catch (error) {
      if (!isCut || !isTimeout(error) || rows <= rowsLeast) throw error
      rows = Math.max(rowsLeast, Math.floor(rows / 8))
      continue
    }
    const tookMs = Math.max(1, performance.now() - beganMs)
    const fitting = Math.floor(rows * Math.min(4, wantedMs / tookMs))
    rows = Math.min(rowsMost, Math.max(rowsLeast, fitting))
  } while (from !== undefined)
}

/** A finding is told where another snapshot shows it too. */
async function lookTwice(
  parts: LooksParts,
  isCut: boolean,
  look: (snapshot: Snapshot) => Promise<Looked>,
): Promise<Looked> {
  const looked = await inShortSnapshot(parts, isCut, look)
  return looked.findings.length === 0 ? looked : inShortSnapshot(parts, isCut, look)
}

/** A look of an invariant's part at a list of ids, a few at a time. */
export async function runIds(
  part: Part,
  ids: readonly string[],
  parts: LooksParts,
): Promise<readonly Looked[]> {
  const { lookAtIds } = part
  if (lookAtIds === undefined) return []
  const looks: Looked[] = []
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    parts.signal.throwIfAborted()
    const some = ids.slice(from, from + idsAtOnce)
    const looked = await lookTwice(parts, true, (snapshot) => lookAtIds(snapshot, some))
    looks.push(looked)
    parts.progress?.(looked.rows)
  }
  return looks
}

const idsAtOnce = 500

/**
 * Its backend ends within seconds of this process, however it ends: PostgreSQL looks whether we are still there while it works.
 * No statement of a stretch works for long either.
 */
export async function inShortSnapshot<T>(
  { db, methods, attested, sums }: LooksParts,
  isCut: boolean,
  look: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    await boundStatements(tx, isCut ? statementMs : wholeStatementMs)
    if (isCut) await tx.query(planForStretches)
    return look({ on: tx, methods, attested, sums })
  })
}

/**
 * A stretch is found by its index, and what belongs to its rows by theirs. With the usual costs PostgreSQL reads whole tables
 * beside it, once for each stretch, by several workers.
 */
const planForStretches = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('random_page_cost', '1', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`

export async function boundStatements(tx: Tx, timeoutMs: number): Promise<void> {
  await tx.query(sql`
    select set_config('client_connection_check_interval', ${`${limits.clientCheckMs}`}, true),
      set_config('statement_timeout', ${`${timeoutMs}`}, true),
      set_config('idle_in_transaction_session_timeout', ${`${limits.statementTimeoutMs * 12}`}, true)`)
}

function isTimeout(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** Adds up the lines of all journals up to a seal. */
export async function sumAllLines(parts: LooksParts, sequence: number): Promise<LineSums> {
  const accounts = new Map<number, LineSum>()
  await inStretches(true, parts, async ({ from, rows }) => {
    const stretch = await inShortSnapshot(parts, true, ({ on }) => sumStretch(on, { sequence, from, rows }))
    addSums(accounts, stretch.accounts)
    parts.progress?.(rows)
    return stretch.next
  })
  return { sequence, accounts }
}
