import type pg from 'pg'
import type { Db, Statement } from '../../src/platform/db/pool.ts'

/**
 * Returns a database that fails for each named statement that `isAway` selects. The transaction around such a
 * statement is rolled back.
 */
export function failingStatements(db: Db, isAway: (name: string) => boolean): Db {
  const refuse = (name: string | undefined) => {
    if (name !== undefined && isAway(name)) throw new Error('the database is away')
  }
  const connect = async () => {
    const client = await db.pool.connect()
    const query = async (statement: string | pg.QueryConfig) => {
      refuse(typeof statement === 'string' ? undefined : statement.name)
      return client.query(statement)
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  return {
    close: db.close,
    query: async (statement: Statement) => {
      refuse(statement.name)
      return db.query(statement)
    },
    pool: { connect } as unknown as pg.Pool,
  }
}
