/**
 * Estimates the progress and the remaining time of a run over all invariants. The estimate is based on the
 * sizes of the tables that the parts read.
 */

import sql from 'sql-template-tag'
import { monotonicMs } from '../../core/clock.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Invariant } from './invariant.ts'

export interface Progress {
  /** The completed share, from 0 to 1. */
  readonly share: number
  readonly leftMs: number
}

/** @returns a function that must be called after each scan, with the number of rows of the scan */
export async function countProgress(
  on: Queryable,
  invariants: readonly Invariant[],
  onProgress: (progress: Progress) => void,
): Promise<(rows: number) => void> {
  const tables = invariants.flatMap(({ parts }) => parts.flatMap(({ table }) => table ?? []))
  const sizes = new Map(
    (
      await on.query<{ name: string; rows: number }>(sql`
        select relname as name, greatest(reltuples, 1)::bigint as rows from pg_class
        where relkind = 'r' and relname = any (${tables}::text[]) and relnamespace = 'public'::regnamespace`)
    ).map(({ name, rows }) => [name, rows]),
  )
  const totalRows = tables.reduce((sum, table) => sum + (sizes.get(table) ?? 1), 0)
  const beganMs = monotonicMs()
  let doneRows = 0
  return (rows) => {
    doneRows += rows
    // The table sizes are estimates. If a table is larger than its estimate, the share stays at 99 % for a
    // while.
    const share = Math.min(0.99, doneRows / totalRows)
    onProgress({ share, leftMs: ((monotonicMs() - beganMs) * (1 - share)) / share })
  }
}
