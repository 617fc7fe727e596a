/**
 * Sums that are kept, and the changes they are behind by: whoever writes adds a row of change, whoever reads adds up both.
 * Folding adds the changes to the sums, so that there are never many; what is read is exact without it, only slower.
 */
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { type Db, named, one } from './pool.ts'
import { inTransaction, type Tx } from './transaction.ts'

export interface Fold {
  readonly name: string
  /** The table of changes. */
  readonly changes: string
  /** The advisory lock under which one at a time folds, whoever it is. */
  readonly lock: number
  /** Adds the changes that were `taken` to the sums: queries of a `with`. */
  readonly sums: Sql
}

const batchRows = 5_000

/**
 * Adds up to `rows` changes to the sums and deletes them; nothing when someone else is at it.
 * @returns how many there were
 */
export async function foldOnce(
  tx: Tx,
  { name, changes, lock, sums }: Fold,
  rows = batchRows,
): Promise<number> {
  const locked = await one<{ free: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${lock}) as free`)
  if (locked?.free !== true) return 0
  const folded = await one<{ changes: number }>(
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
  return folded?.changes ?? 0
}

/** Folds for as long as there are many changes; a few are left to gather, as each fold is a commit. */
export function foldAll(db: Db, fold: Fold): Worker {
  return {
    name: fold.name,
    idleMs: 1_000,
    takeAndDo: async () => {
      const changes = await inTransaction(db, (tx) => foldOnce(tx, fold))
      return changes === batchRows ? changes : 0
    },
  }
}
