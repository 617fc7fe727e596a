/** Goes through the parts of invariants, each look in a short snapshot of its own. */
import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import { inTransaction, isLockTimeout, sqlState, type Tx } from '../../platform/db/transaction.ts'
import { addSums, type LineSum, type LineSums, sumSeals, sumStretch } from './books/summed-lines.ts'
import { type Changed, firstRowSince } from './changed.ts'
import type { Invariant, LookAt, Looked, Outcome, Part, Snapshot } from './invariant.ts'
import { outcomeOf } from './look.ts'

/** What looks work with; the snapshot of each is opened here. */
export interface LooksParts extends Omit<Snapshot, 'on'> {
  readonly db: Db
  readonly signal: AbortSignal
  /** Is told of each look: rows of which table were gone through. */
  readonly progress?: (rows: number) => void
  /** A stretch has at most so many rows. */
  readonly rowsMost?: number | undefined
  /** What a statement of a stretch may take, unless the stretch is one row. */
  readonly stretchMs?: number | undefined
}

/** The rows of a look are as many as take about so long. */
const wantedMs = 100
const rowsFirst = 2_000
/** With fewer rows a look takes no less time: its fixed cost is then larger than the cost of its rows. */
const rowsUsuallyLeast = 200
const rowsLeast = 1
const rowsUsuallyMost = 100_000

/** What a part that is looked at whole may take: longer than a stretch, and far from for ever. */
const statementMs = 10_000
const wholeStatementMs = 10 * 60_000

/** What an invariant comes to, part after part. */
export async function runInvariant(invariant: Invariant, parts: LooksParts): Promise<Outcome> {
  const looks: Looked[] = []
  for (const part of invariant.parts) looks.push(...(await runPart(part, parts)))
  return outcomeOf(looks)
}

/** What changed since the books were proven, and where rows begin that were made since. */
export interface SinceProof {
  readonly sequence: number
  readonly firstId: string
  readonly changed: Changed
}

/** What an invariant comes to by what changed since a proof alone. */
export async function runInvariantSince(
  invariant: Invariant,
  parts: LooksParts,
  since: SinceProof,
): Promise<Outcome> {
  const looks: Looked[] = []
  let isLeftOut = true
  for (const part of invariant.parts) {
    const looked = await runPartSince(part, parts, since)
    if (looked !== undefined) isLeftOut = false
    looks.push(...(looked ?? []))
  }
  return isLeftOut ? { examined: 0, findings: [], skipped: 'a full run looks at it' } : outcomeOf(looks)
}

/** Undefined where only a full run looks at it. */
async function runPartSince(
  part: Part,
  parts: LooksParts,
  since: SinceProof,
): Promise<readonly Looked[] | undefined> {
  const { table, since: which = 'all' } = part
  if (which === 'none') return undefined
  if (which === 'all' || table === undefined) return runPart(part, parts)
  const from = firstRowSince(table, since)
  if (from === undefined) return undefined
  const newer = await runPart(part, parts, from)
  return which === 'newer' ? newer : [...newer, ...(await runIds(part, since.changed[which], parts))]
}

async function runPart(part: Part, parts: LooksParts, from?: string): Promise<readonly Looked[]> {
  const looks: Looked[] = []
  for await (const looked of looksOf(part, parts, from)) looks.push(looked)
  return looks
}

/** The looks of a part, one after the other. */
export async function* looksOf(
  part: Part,
  parts: LooksParts,
  from?: string,
): AsyncGenerator<Looked, void, void> {
  const isCut = part.table !== undefined
  const look = (at: LookAt, isPatient: boolean) =>
    lookTwice(isPatient ? patient(parts) : parts, isCut, (snapshot) => part.look(snapshot, at))
  for await (const looked of inStretches(isCut, parts, look, from)) {
    parts.progress?.(looked.rows)
    yield looked
  }
}

/**
 * Goes on where each stretch ends, with as many rows as take a moment. A stretch that takes too long is cut shorter. One of a
 * single row, as a merchant with all that is theirs, cannot be: it is looked at again with patience.
 */
async function* inStretches<T extends { readonly next: string | undefined }>(
  isCut: boolean,
  { signal, rowsMost = rowsUsuallyMost }: Pick<LooksParts, 'signal' | 'rowsMost'>,
  look: (at: LookAt, isPatient: boolean) => Promise<T>,
  first?: string,
): AsyncGenerator<T, void, void> {
  let rows = Math.min(rowsFirst, rowsMost)
  let from = first
  let isPatient = false
  for (;;) {
    signal.throwIfAborted()
    const beganMs = performance.now()
    const seen = await look({ from, rows }, isPatient).catch((error: unknown) => {
      if (!isCut || !isTimeout(error) || isPatient) throw error
      return undefined
    })
    if (seen === undefined) {
      isPatient = rows <= rowsLeast
      rows = Math.max(rowsLeast, Math.floor(rows / 8))
      continue
    }
    const tookMs = Math.max(1, performance.now() - beganMs)
    const fitting = Math.floor(rows * Math.min(4, wantedMs / tookMs))
    rows = Math.min(rowsMost, Math.max(Math.min(rows, rowsUsuallyLeast), fitting))
    isPatient = false
    yield seen
    if (seen.next === undefined) return
    from = seen.next
  }
}

function patient(parts: LooksParts): LooksParts {
  return { ...parts, stretchMs: wholeStatementMs }
}

/** What is reported is what a second snapshot shows: what was being written during the first one is whole by then. */
async function lookTwice(
  parts: LooksParts,
  isCut: boolean,
  look: (snapshot: Snapshot) => Promise<Looked>,
): Promise<Looked> {
  const looked = await inShortSnapshot(parts, isCut, look)
  return looked.findings.length === 0 ? looked : inShortSnapshot(parts, isCut, look)
}

/** Looks at a list of ids, a few at a time. */
async function runIds(part: Part, ids: readonly string[], parts: LooksParts): Promise<readonly Looked[]> {
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
 * No statement of a stretch works for long either. A table that somebody has locked, as a migration does, is waited for.
 */
export async function inShortSnapshot<T>(
  parts: LooksParts,
  isCut: boolean,
  look: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inSnapshot(parts, isCut, look)
    } catch (error) {
      if (!isLockTimeout(error) || tries >= lockTries) throw error
      parts.signal.throwIfAborted()
    }
  }
}

/** Each waits for `limits.lockTimeoutMs`. */
const lockTries = 60

function inSnapshot<T>(
  { db, methods, attested, sums, stretchMs = statementMs }: LooksParts,
  isCut: boolean,
  look: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    await boundStatements(tx, isCut ? stretchMs : wholeStatementMs)
    if (isCut) await tx.query(planForStretches)
    return look({ on: tx, methods, attested, sums })
  })
}

/**
 * A stretch is found by its index, and what belongs to its rows by theirs. With the usual costs PostgreSQL reads whole tables
 * or whole indexes beside it, once for each stretch, by several workers.
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

/** How far lines are added up; `from` is where the next stretch begins. */
export interface SumsSoFar {
  readonly accounts: Map<number, LineSum>
  from: string | undefined
}

/** Adds up the lines of all journals up to a seal, a stretch at a time; the last sums are whole. */
export async function* sumAllLines(
  parts: LooksParts,
  sequence: number,
  soFar: SumsSoFar = { accounts: new Map(), from: undefined },
): AsyncGenerator<LineSums, void, void> {
  const { accounts } = soFar
  const look = ({ from, rows }: LookAt, isPatient: boolean) =>
    inShortSnapshot(isPatient ? patient(parts) : parts, true, ({ on }) =>
      sumStretch(on, { sequence, from, rows }),
    )
  for await (const stretch of inStretches(true, parts, look, soFar.from)) {
    addSums(accounts, stretch.accounts)
    soFar.from = stretch.next
    yield { sequence, accounts }
  }
}

const sealsAtOnce = 20_000

/** Adds to sums what journals moved that were sealed since, up to a seal. */
export async function sumLinesSince(known: LineSums, parts: LooksParts, sequence: number): Promise<LineSums> {
  const accounts = new Map(known.accounts)
  for (let after = known.sequence; after < sequence; after += sealsAtOnce) {
    const upTo = Math.min(sequence, after + sealsAtOnce)
    addSums(accounts, await inShortSnapshot(parts, true, ({ on }) => sumSeals(on, after, upTo)))
  }
  return { sequence, accounts }
}

/** Cancels what connections of a name are doing. */
export async function cancelStatements(on: Queryable, name: string): Promise<void> {
  await on.query(sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where application_name = ${name} and state = 'active' and pid <> pg_backend_pid()`)
}
