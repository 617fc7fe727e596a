import sql, { type Sql } from 'sql-template-tag'
import { randomBytes } from '../../core/chance.ts'

/**
 * Returns SQL that orders rows at random, to draw a sample. Every order is equally likely, and each call
 * returns another one. The random numbers come from this process and not from the database, so that a
 * simulation can repeat them.
 * @param key an expression that differs for each row
 */
export function inRandomOrder(key: Sql): Sql {
  const seed = randomBytes(8).readBigInt64BE()
  return sql`hashtextextended((${key})::text, ${seed}::bigint), ${key}`
}
