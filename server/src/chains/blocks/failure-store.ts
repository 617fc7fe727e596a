/** Stores the reason why a network's blocks cannot be booked, so that every process can read the reason. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface ChainFailure {
  readonly network: string
  /** The height of the block that cannot be booked; undefined if no block was booked yet. */
  readonly height: number | undefined
  readonly message: string
  readonly failingSeconds: number
}

/**
 * Stores why the next block cannot be booked. If the same block fails again, the time of its first failure is
 * kept.
 */
export async function saveFailure(tx: Tx, network: string, message: string): Promise<void> {
  await tx.query(sql`
    insert into chain_failure (network, height, message)
    values (${network}, (select height + 1 from chain_cursor where network = ${network}), ${message})
    on conflict (network) do update
    set height = excluded.height, message = excluded.message,
        failing_since = case when chain_failure.height is not distinct from excluded.height
          then chain_failure.failing_since else excluded.failing_since end`)
}

export async function clearFailure(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from chain_failure where network = ${network}`)
}

export async function readFailures(on: Queryable): Promise<readonly ChainFailure[]> {
  const rows = await on.query<Omit<ChainFailure, 'height'> & { height: number | null }>(sql`
    select network, height, message, extract(epoch from coffer_now() - failing_since)::float8 as "failingSeconds"
    from chain_failure order by network`)
  return rows.map((row) => ({ ...row, height: row.height ?? undefined }))
}
