import type pg from 'pg'
import type { Db, Statement } from '../../src/platform/db/pool.ts'

/** The error that every statement gets after the process was killed. */
export class DiedError extends Error {}

/**
 * Returns the database of a process that is killed after this many statements. No later statement reaches the
 * database, and uncommitted work is rolled back. Whatever the killed process would have done next needs a
 * statement, so it never happens.
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
      // A rollback is not counted: PostgreSQL itself rolls back what a killed process left open.
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
