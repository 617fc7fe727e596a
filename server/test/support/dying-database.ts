import type pg from 'pg'
import type { Db, Statement } from '../../src/platform/db/pool.ts'

/** What whoever works with a database is told after it died. */
export class DiedError extends Error {}

/**
 * The database of a process that is killed: after so many statements nothing more reaches it, and what was not committed by then
 * is rolled back. What the killed process would do next never happens, since all that it does needs a statement.
 */
export function dyingDatabase(db: Db, statements: number): Db {
  let left = statements
  const spend = () => {
    left -= 1
    if (left < 0) throw new DiedError('the process was killed')
  }
  const connect = async () => {
    spend()
    const client = await db.pool.connect()
    const query = async (statement: string | pg.QueryConfig) => {
      // PostgreSQL itself rolls back what the dead process left open.
      if (statement !== 'rollback') spend()
      return client.query(statement)
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  return {
    ...db,
    query: async (statement: Statement) => {
      spend()
      return db.query(statement)
    },
    pool: { connect } as unknown as pg.Pool,
  }
}
