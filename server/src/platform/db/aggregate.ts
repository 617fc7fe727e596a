/**
 * Maintains stored sums, and a table of changes that are not yet added to the sums. A writer inserts a
 * change; a reader adds up sums and changes. Aggregation moves changes into the sums, so that there are never
 * many changes. Without aggregation reads are still exact, but slower.
 */
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { type Db, named, one } from './pool.ts'
import { inTransaction, type Tx } from './transaction.ts'

export interface Aggregate {
  readonly name: string
  /** The table of changes. */
  readonly changes: string
  /** The key of the advisory lock that lets only one process aggregate at a time. */
  readonly lock: number
  /** Queries for a `with` clause. They add the changes that the query `taken` returns to the sums. */
  readonly sums: Sql
}

const batchRows = 5_000

/**
 * Adds up to `rows` changes to the sums and deletes them. Does nothing while another process aggregates.
 * @returns the number of changes added
 */
export async function aggregateOnce(
  tx: Tx,
  { name, changes, lock, sums }: Aggregate,
  rows = batchRows,
): Promise<number> {
  const locked = await one<{ free: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${lock}) as free`)
  if (locked?.free !== true) return 0
  const aggregated = await one<{ changes: number }>(
    tx,
    named(
      name,
      sql`
      with taken as (
        delete from ${raw(changes)} where ctid = any (array(select ctid from ${raw(changes)} limit ${rows}))
        returning *
      ), ${sums}
      select count(*) as changes from taken`,
    ),
  )
  return aggregated?.changes ?? 0
}

/**
 * Creates a worker that aggregates in batches. After a full batch it continues at once. After a smaller batch
 * it sleeps, because every run costs a commit, and a few changes do not slow reads down.
 */
export function aggregateAll(db: Db, aggregate: Aggregate): Worker {
  return {
    name: aggregate.name,
    idleMs: 1_000,
    runBatch: async () => {
      const changes = await inTransaction(db, (tx) => aggregateOnce(tx, aggregate))
      return changes === batchRows ? changes : 0
    },
  }
}
