/** Stores the networks on which crediting is paused after a deep reorganisation. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface DepositPause {
  readonly network: string
  /** How many blocks the reorganisation undid. */
  readonly depth: number
  readonly pausedAt: Date
  /** The height of the tip at which crediting resumes without an operator. */
  readonly untilHeight: number
}

/** Stores a pause. If the network is paused already, its pause can become longer but never shorter. */
export async function savePause(
  tx: Tx,
  { network, depth, untilHeight }: Omit<DepositPause, 'pausedAt'>,
): Promise<void> {
  await tx.query(sql`
    insert into deposit_pause (network, depth, until_height) values (${network}, ${depth}, ${untilHeight})
    on conflict (network) do update
    set depth = greatest(deposit_pause.depth, excluded.depth),
        until_height = greatest(deposit_pause.until_height, excluded.until_height)`)
}

/** Returns whether crediting is paused when the tip is at `height`. Deletes a pause that has ended. */
export async function areDepositsPaused(tx: Tx, network: string, height: number): Promise<boolean> {
  const row = await one<{ paused: boolean }>(
    tx,
    named(
      'are-deposits-paused',
      sql`
      with over as (delete from deposit_pause where network = ${network} and until_height <= ${height})
      select exists (
        select from deposit_pause where network = ${network} and until_height > ${height}
      ) as paused`,
    ),
  )
  return row?.paused === true
}

export function readPauses(on: Queryable): Promise<readonly DepositPause[]> {
  return on.query<DepositPause>(sql`
    select network, depth, paused_at as "pausedAt", until_height as "untilHeight"
    from deposit_pause order by network`)
}

/** Ends a pause. Returns false if the network was not paused. */
export async function deletePause(tx: Tx, network: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from deposit_pause where network = ${network} returning network`)
  return rows.length > 0
}
