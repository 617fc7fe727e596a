import type pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { assert } from '../../core/assert.ts'
import type { BooksMacs } from '../../core/books-macs.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { FactsOfTransaction } from '../../core/committed-facts.ts'
import { limits } from '../../core/limits.ts'
import {
  answerWithin,
  type Db,
  dropIdle,
  isUnanswered,
  type Queryable,
  run,
  type Statement,
  usualAnswerMs,
} from './pool.ts'

/** SQLSTATEs after which the whole transaction may simply be run again (PostgreSQL appendix A, class 40). */
const serializationFailure = '40001'
const deadlockDetected = '40P01'

declare const transactionBrand: unique symbol

/**
 * An open transaction. Only `inTransaction` makes one, and it is dead once that returns: a statement sent to it
 * later is refused instead of running outside. A function that takes a Tx must run inside one. No network call is
 * made while one is open.
 */
export interface Tx extends Queryable {
  readonly [transactionBrand]: true
  /** Lets each statement that follows take so long; 0 for as long as it takes. */
  allowStatements(timeoutMs: number): Promise<void>
}

class OpenTransaction implements Queryable {
  declare readonly [transactionBrand]: true
  readonly macs: BooksMacs | undefined
  readonly facts = new FactsOfTransaction()
  #client: pg.PoolClient | undefined
  #answerMs: number | undefined = usualAnswerMs

  constructor(client: pg.PoolClient, macs: BooksMacs | undefined) {
    this.#client = client
    this.macs = macs
  }

  async query<R extends object>(statement: Statement): Promise<readonly R[]> {
    assert(this.#client !== undefined, 'a transaction was used after it ended')
    return run<R>(this.#client, statement, this.#answerMs)
  }

  async allowStatements(timeoutMs: number): Promise<void> {
    await this.query(sql`select set_config('statement_timeout', ${`${timeoutMs}`}, true)`)
    this.#answerMs = timeoutMs === 0 ? undefined : answerWithin(timeoutMs)
  }

  end(): void {
    this.#client = undefined
  }
}

/**
 * Runs `work` in one transaction (READ COMMITTED) and commits what it did, or nothing. On a deadlock or a
 * serialization failure it runs `work` again, a bounded number of times: `work` must not touch anything but `tx`.
 * @throws what `work` throws, or the database's error, after the rollback.
 */
export async function inTransaction<T>(
  db: Pick<Db, 'pool' | 'macs' | 'facts'>,
  work: (tx: Tx) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(db, work)
    } catch (error) {
      if (attempt >= limits.transactionTries || !isRetryable(error)) throw error
      await clock.sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Reads what `work` asks for as it was at one moment, whatever is committed meanwhile. */
export function inSnapshot<T>(
  db: Pick<Db, 'pool' | 'macs' | 'facts'>,
  work: (on: Queryable) => Promise<T>,
): Promise<T> {
  return attemptTransaction(db, work, 'begin isolation level repeatable read, read only')
}

async function attemptTransaction<T>(
  { pool, macs, facts }: Pick<Db, 'pool' | 'macs' | 'facts'>,
  work: (tx: Tx) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect()
  const tx = new OpenTransaction(client, macs)
  let broken: Error | undefined
  try {
    await run(client, raw(begin), usualAnswerMs)
    const result = await work(tx)
    tx.end()
    await run(client, raw('commit'), usualAnswerMs)
    if (facts !== undefined) tx.facts.committed(facts)
    return result
  } catch (error) {
    tx.end()
    broken = isUnanswered(error) ? error : await rollBack(client)
    throw error
  } finally {
    client.release(broken)
    if (isUnanswered(broken)) void dropIdle(pool)
  }
}

/** The error that a connection broke with; undefined where it can be used again. */
function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  return run(client, raw('rollback'), usualAnswerMs).then(
    () => undefined,
    (lost: Error) => lost,
  )
}

/** The SQLSTATE of a database error; undefined for any other. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined
}

/** Whether a statement waited for a lock as long as it may, and did nothing. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** The name of the unique or check constraint that a statement ran into. */
export function violatedConstraint(error: unknown): string | undefined {
  if (sqlState(error)?.startsWith('23') !== true) return undefined
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state === serializationFailure || state === deadlockDetected
}
