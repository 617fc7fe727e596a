/** How far a proof is, and how long it will take: by the sizes of the tables that its parts go through. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Invariant } from './invariant.ts'

export interface Progress {
  /** From 0 to 1. */
  readonly share: number
  readonly leftMs: number
}

/** @returns what is to be told of the rows that were gone through */
export async function countProgress(
  on: Queryable,
  invariants: readonly Invariant[],
  tell: (progress: Progress) => void,
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
  const beganMs = performance.now()
  let doneRows = 0
  return (rows) => {
    doneRows += rows
    // Sizes are estimates: what takes longer than they say is nearly done.
    const share = Math.min(0.99, doneRows / totalRows)
    tell({ share, leftMs: ((performance.now() - beganMs) * (1 - share)) / share })
  }
}
