import type pg from 'pg'
import type { Db } from '../../src/platform/db/pool.ts'

/**
 * Returns the database of a process that dies before the n-th statement of its transactions, counted from
 * this call. A commit counts as a statement, and so does the moment after it. Every statement after the death
 * throws.
 */
export function dyingBefore(db: Db, statement: number): { readonly db: Db; readonly hasDied: () => boolean } {
  let count = 0
  const hasDied = () => count >= statement
  const step = () => {
    count += 1
    if (hasDied()) throw new Error('the process died')
  }
  const connect = async () => {
    if (hasDied()) throw new Error('the process died')
    const client = await db.pool.connect()
    const query = async (asked: string | pg.QueryConfig) => {
      if (asked === 'rollback') return client.query(asked)
      step()
      const answer = await client.query(asked)
      if (asked === 'commit') step()
      return answer
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  const dying: Db = {
    ...db,
    query: async (asked) => {
      if (hasDied()) throw new Error('the process died')
      return db.query(asked)
    },
    pool: { connect } as unknown as pg.Pool,
  }
  return { db: dying, hasDied }
}
