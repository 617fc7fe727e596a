/** Stores sweeps, their addresses and their states. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export type SweepKind = 'sweep' | 'top_up' | 'direct_sweep' | 'deploy'

/** A sweep, top-up or deployment: the data that is stored about its outgoing transaction. */
export interface Sweep {
  readonly id: string
  readonly network: string
  readonly kind: SweepKind
  readonly assets: readonly string[]
  readonly txHash: string | undefined
  /** The final block that contains the transaction. */
  readonly block: { readonly height: number; readonly hash: string } | undefined
  readonly isSuccess: boolean
}

interface SweepRow {
  readonly id: string
  readonly network: string
  readonly kind: SweepKind
  readonly assets: string[]
  readonly tx_hash: string | null
  readonly block_height: number | null
  readonly block_hash: string | null
  readonly is_success: boolean | null
}

const columns = sql`id, network, kind, assets, tx_hash, block_height, block_hash, is_success`

/** Stores a new sweep. Returns false if the sweep exists already. */
export async function insertSweep(
  tx: Tx,
  { id, network, kind, assets }: Pick<Sweep, 'id' | 'network' | 'kind' | 'assets'>,
): Promise<boolean> {
  const row = await one(
    tx,
    sql`insert into sweep (id, network, kind, assets) values (${id}, ${network}, ${kind}, ${[...assets]}::text[])
        on conflict (id) do nothing returning id`,
  )
  return row !== undefined
}

/**
 * Returns the ids of the addresses at some derivation paths. Paths that are not in the database are left out.
 */
export async function findAddressIds(
  on: Queryable,
  family: string,
  paths: readonly { readonly branch: number; readonly index: number }[],
): Promise<readonly number[]> {
  const rows = await on.query<{ id: number }>(sql`
    select address.id from address
    join unnest(${paths.map(({ branch }) => branch)}::bigint[], ${paths.map(({ index }) => index)}::bigint[])
      as path (branch, index) on path.branch = address.branch and path.index = address.index
    where family = ${family}`)
  return rows.map(({ id }) => id)
}

export async function insertSweptAddresses(
  tx: Tx,
  sweepId: string,
  addressIds: readonly number[],
): Promise<void> {
  await tx.query(sql`
    insert into swept_address (sweep_id, address_id)
    select ${sweepId}, id from unnest(${[...addressIds]}::bigint[]) as swept (id)`)
}

/** Locks an open sweep. Returns undefined if the sweep has ended or never existed. */
export async function lockOpenSweep(tx: Tx, id: string): Promise<Sweep | undefined> {
  const row = await one<SweepRow>(
    tx,
    sql`select ${columns} from sweep where id = ${id} and state not in ('done', 'dropped') for update`,
  )
  return row === undefined ? undefined : toSweep(row)
}

/**
 * Stores that a node accepted the sweep's transaction. Also clears the stored final block and the stored time
 * of the end, because a reorganisation may have undone that block.
 */
export async function markSent(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(sql`
    update sweep set state = 'sent', tx_hash = ${txHash}, block_height = null, block_hash = null, is_success = null,
      ended_at = null
    where id = ${id}`)
}

export async function noteIncluded(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(sql`update sweep set tx_hash = ${txHash} where id = ${id}`)
}

/** Stores that the sweep's transaction is in a final block. */
export async function markFinal(
  tx: Tx,
  id: string,
  at: { txHash: string; height: number; blockHash: string; isSuccess: boolean },
): Promise<void> {
  await tx.query(sql`
    update sweep set state = 'final', tx_hash = ${at.txHash}, block_height = ${at.height},
      block_hash = ${at.blockHash}, is_success = ${at.isSuccess}, ended_at = null
    where id = ${id}`)
}

export async function endSweep(tx: Tx, id: string, state: 'done' | 'dropped'): Promise<void> {
  await tx.query(sql`update sweep set state = ${state}, ended_at = coffer_now() where id = ${id}`)
}

export interface FinalSweep extends Sweep {
  /** Whether the sweep was planned more than an hour ago, so that its nodes will hardly recover by themselves. */
  readonly isOverdue: boolean
}

/**
 * Returns final sweeps whose transfers are not read yet, oldest first.
 * @param afterId the sweep after which they begin; undefined for the oldest ones
 */
export async function readFinal(
  on: Queryable,
  { afterId, rows }: { readonly afterId: string | undefined; readonly rows: number },
): Promise<readonly FinalSweep[]> {
  const found = await on.query<SweepRow & { readonly is_overdue: boolean }>(sql`
    select ${columns}, planned_at < coffer_now() - interval '1 hour' as is_overdue from sweep
    where state = 'final' and (${afterId ?? null}::uuid is null
      or (planned_at, id) > (select planned_at, id from sweep where id = ${afterId ?? null}::uuid))
    order by planned_at, id limit ${rows}`)
  return found.map((row) => ({ ...toSweep(row), isOverdue: row.is_overdue }))
}

function toSweep(row: SweepRow): Sweep {
  return {
    id: row.id,
    network: row.network,
    kind: row.kind,
    assets: row.assets,
    txHash: row.tx_hash ?? undefined,
    block:
      row.block_height === null || row.block_hash === null
        ? undefined
        : { height: row.block_height, hash: row.block_hash },
    isSuccess: row.is_success === true,
  }
}
