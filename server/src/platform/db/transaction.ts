/** Runs transactions and snapshots on the pool, and classifies errors of the database. */

import type pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { assert } from '../../core/assert.ts'
import type { BooksMacs } from '../../core/books-macs.ts'
import { randomFraction } from '../../core/chance.ts'
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

/** SQLSTATEs after which the whole transaction can be retried (PostgreSQL appendix A, class 40). */
const serializationFailure = '40001'
const deadlockDetected = '40P01'

declare const transactionBrand: unique symbol

/**
 * An open transaction, created by `inTransaction` alone. A function that takes a Tx must run inside a
 * transaction. No network call is made while a transaction is open. A statement that is sent after the end of
 * the transaction is rejected, because it would run outside the transaction.
 */
export interface Tx extends Queryable {
  readonly [transactionBrand]: true
  /** Sets the timeout of the following statements; 0 means no limit. */
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
 * Runs `work` in one transaction (READ COMMITTED), which is committed as a whole or not at all. After a
 * deadlock or a serialization failure it runs `work` again, a bounded number of times. `work` must therefore
 * have no effects except through `tx`.
 * @throws whatever `work` throws, or the database's error, after the rollback
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
      await clock.sleep(randomFraction() * 10 * 2 ** attempt)
    }
  }
}

/** Runs the reads of `work` on one snapshot, so that all of them see the same commits. */
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

/** Rolls back. Returns the error if the connection is broken, and undefined if it can be reused. */
function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  return run(client, raw('rollback'), usualAnswerMs).then(
    () => undefined,
    (lost: Error) => lost,
  )
}

/** Returns the SQLSTATE of a database error; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined
}

/** Returns true if a statement failed because it did not get a lock within the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** Returns the name of the constraint that a statement violated; undefined for any other error. */
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
