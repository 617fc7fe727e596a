import type { Socket } from 'node:net'
import pg from 'pg'
import type { BooksMacs } from '../../core/books-macs.ts'
import type { FactSink } from '../../core/committed-facts.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'

// Whole numbers that Postgres counts in 64 bits (heights, sequences, count(*)) fit a JS number by far; money is
// numeric, which stays a string until a store makes it a bigint.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a JS number`)
  return value
})

export type Row = Readonly<Record<string, unknown>>

/**
 * One SQL statement. `name` makes it a prepared statement on each connection; hot paths name theirs. The shape of
 * the tag `sql` from sql-template-tag.
 */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /** How long its answer is waited for, where that is less than usual. */
  readonly answerMs?: number
}

/** Anything that runs statements: the pool, or a transaction. */
export interface Queryable {
  /** The keys of the books; absent where a handle only reads them, and can neither post nor credit. */
  readonly macs?: BooksMacs | undefined
  /** Told what this process has committed; absent where nobody remembers it. */
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
  /** By which its connections are known in `pg_stat_activity`. */
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
  // A connection that breaks while it is checked out says so to its client alone: the statement in hand rejects, and
  // the pool drops the connection when it comes back. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  let isClosing = false
  // The error carries its client, with all it knows of the connection: only the reason is for the log. A server that
  // stops right after `close` may cut connections that are saying goodbye.
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

/** With what pg takes of a statement and its types leave out. */
type TimedQuery = pg.QueryConfig & { query_timeout?: number | undefined }

/** The client waits this long for the answer to a statement with the usual timeout. */
export const usualAnswerMs = answerWithin(limits.statementTimeoutMs)

/**
 * Returns how long the client waits for an answer, given the timeout of the statement on the server. PostgreSQL reports a
 * timeout itself. A server without power or network reports nothing, and the kernel retransmits for 15 minutes.
 */
export function answerWithin(statementTimeoutMs: number): number {
  return statementTimeoutMs + limits.answerGraceMs
}

/** @param usualMs after which the connection is given up, unless the statement says sooner; undefined for as long as it takes */
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

/** What pg says where no answer came in time: the statement may still be under way, and whatever is sent waits behind it. */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Destroys the idle connections of a pool after one connection got no answer: they lead to the same server, and each would
 * time out in turn. Their sockets are destroyed, since an orderly close would be retransmitted as well.
 */
export async function dropIdle(pool: pg.Pool): Promise<void> {
  for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left -= 1) {
    const client = await pool.connect().catch(() => undefined)
    if (client === undefined) return
    streamOf(client).destroy()
    client.release(true)
  }
}

/** The types of pg leave out the connection that each client has. */
function streamOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream
}

/** The same pool, for work that writes or proves the books. */
export function withMacs(db: Db, macs: BooksMacs): Db {
  return { ...db, macs }
}

/** The same pool, for a process that remembers what it committed. */
export function withFacts(db: Db, facts: FactSink): Db {
  return { ...db, facts }
}

/** @throws Error where the handle was opened without the keys of the books */
export function macsOf({ macs }: Pick<Queryable, 'macs'>): BooksMacs {
  if (macs === undefined) throw new Error('this database handle was opened without BOOKS_KEY_FILE')
  return macs
}

/** Names a statement of a hot path, so that each connection plans it once. The name belongs to one SQL text. */
export function named(name: string, { text, values }: Statement): Statement {
  return { name, text, values }
}

/** The only row of a statement that gives at most one. */
export async function one<R extends object>(on: Queryable, statement: Statement): Promise<R | undefined> {
  const rows = await on.query<R>(statement)
  return rows[0]
}
