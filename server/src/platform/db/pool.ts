/** Opens the connection pool and runs statements on it, with timeouts on the server and in the client. */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { BooksMacs } from '../../core/books-macs.ts'
import type { FactSink } from '../../core/committed-facts.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'

// The 64-bit integers that Coffer stores (heights, sequences, count(*)) always fit a JavaScript number. Money
// is stored as numeric, which stays a string until a store converts it to a bigint.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a JS number`)
  return value
})

export type Row = Readonly<Record<string, unknown>>

/**
 * One SQL statement, in the form of the tag `sql` from sql-template-tag. A statement with a `name` is
 * prepared once on each connection. Statements of hot paths have a name.
 */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /** How long the client waits for the answer; set only to wait less than usual. */
  readonly answerMs?: number
}

/** Anything that runs statements: the pool, or a transaction. */
export interface Queryable {
  /**
   * The keys of the books. They are absent on a handle that only reads the books. Such a handle can neither
   * post journals nor credit deposits.
   */
  readonly macs?: BooksMacs | undefined
  /**
   * Receives the facts that this process commits, such as new invoices. Facts that the database loses can
   * then be restored. Absent if this process does not keep facts.
   */
  readonly facts?: FactSink | undefined
  query<R extends object = Row>(statement: Statement): Promise<readonly R[]>
}

export interface Db extends Queryable {
  readonly pool: pg.Pool
  close(): Promise<void>
}

export interface DbOptions {
  readonly url: string
  readonly connections?: number
  readonly log: Log
  readonly macs?: BooksMacs | undefined
  /** The name of the connections in `pg_stat_activity`. */
  readonly name?: string
}

export function openDb({
  url,
  connections = limits.poolConnections,
  log,
  macs,
  name = 'coffer',
}: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: limits.poolWaitMs,
    keepAlive: true,
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionTimeoutMs,
    application_name: name,
  })
  // If a connection breaks while it is in use, its client emits an error. The running statement then fails,
  // and the pool drops the connection on release. Without a listener, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  let isClosing = false
  // Logs the message only, because the error contains the client with all details of the connection. An error
  // after `close` is expected, because a server that stops may cut connections that are still ending.
  pool.on('error', ({ message }) => {
    if (!isClosing) log.warn({ reason: message }, 'an idle database connection was lost')
  })
  return {
    pool,
    macs,
    query: async (statement) => {
      try {
        return await run(pool, statement, usualAnswerMs)
      } catch (error) {
        if (isUnanswered(error)) void dropIdle(pool)
        throw error
      }
    },
    close: () => {
      isClosing = true
      return pool.end()
    },
  }
}

/** Adds `query_timeout`, which pg accepts for a statement but omits from its types. */
type TimedQuery = pg.QueryConfig & { query_timeout?: number | undefined }

/** How long the client waits for the answer to a statement with the usual timeout. */
export const usualAnswerMs = answerWithin(limits.statementTimeoutMs)

/**
 * Returns how long the client waits for an answer: a little longer than the server's timeout of the
 * statement. The server reports its own timeouts. A server without power or network reports nothing, and the
 * kernel would retransmit for 15 minutes.
 */
export function answerWithin(statementTimeoutMs: number): number {
  return statementTimeoutMs + limits.answerGraceMs
}

/**
 * @param usualMs how long to wait before the connection is given up; undefined for no limit. A statement may
 * set a shorter time
 */
export async function run<R extends object>(
  on: pg.Pool | pg.PoolClient,
  { text, values, name, answerMs: shorterMs }: Statement,
  usualMs: number | undefined,
): Promise<readonly R[]> {
  const answerMs = shorterMs ?? usualMs
  const config: TimedQuery = { text, values: [...values], query_timeout: answerMs }
  if (name !== undefined) config.name = name
  const result = await on.query<R>(config)
  return result.rows
}

/**
 * Returns true for the error that pg throws if no answer came in time. The statement may still be running,
 * and further statements on that connection would wait until it ends.
 */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Destroys the idle connections of a pool after one connection got no answer. The others lead to the same
 * server, so each of them would time out in turn. Their sockets are destroyed without an orderly close,
 * because a server that does not answer would not acknowledge the close either.
 */
export async function dropIdle(pool: pg.Pool): Promise<void> {
  for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left -= 1) {
    const client = await pool.connect().catch(() => undefined)
    if (client === undefined) return
    streamOf(client).destroy()
    client.release(true)
  }
}

/** Returns the socket of a client, which pg's types omit. */
function streamOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream
}

/**
 * Returns a handle on the same pool with the keys of the books, for code that writes or verifies the books.
 */
export function withMacs(db: Db, macs: BooksMacs): Db {
  return { ...db, macs }
}

/** Returns a handle on the same pool that notes in `facts` what it commits. */
export function withFacts(db: Db, facts: FactSink): Db {
  return { ...db, facts }
}

/** @throws Error if the handle was opened without the keys of the books */
export function macsOf({ macs }: Pick<Queryable, 'macs'>): BooksMacs {
  if (macs === undefined) throw new Error('this database handle was opened without BOOKS_KEY_FILE')
  return macs
}

/**
 * Names a statement of a hot path, so that each connection prepares the statement once. A name must belong to
 * one SQL text only.
 */
export function named(name: string, { text, values }: Statement): Statement {
  return { name, text, values }
}

/** Returns the first row of a statement's result; undefined if there is none. */
export async function one<R extends object>(on: Queryable, statement: Statement): Promise<R | undefined> {
  const rows = await on.query<R>(statement)
  return rows[0]
}
