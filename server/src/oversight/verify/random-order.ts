import sql, { type Sql } from 'sql-template-tag'
import { randomBytes } from '../../core/chance.ts'

/**
 * Returns SQL for a random order of rows, to draw a sample: every order is equally likely, and each call
 * returns another one. The process chooses it and not the database, so that a simulation repeats it.
 * @param key an expression that differs for each row
 */
export function inRandomOrder(key: Sql): Sql {
  const seed = randomBytes(8).readBigInt64BE()
  return sql`hashtextextended((${key})::text, ${seed}::bigint), ${key}`
}
