import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export type SweepKind = 'sweep' | 'top_up' | 'forward' | 'deploy'

/** What collections know of one payout of theirs. */
export interface Sweep {
  readonly id: string
  readonly network: string
  readonly kind: SweepKind
  readonly assets: readonly string[]
  readonly txHash: string | undefined
  /** Of the block that holds it for good. */
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

/** Stores a new sweep; false when it is there already. */
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

/** The addresses at some places of the key tree; one that is not in the database is left out. */
export async function findAddressIds(
  on: Queryable,
  family: string,
  places: readonly { readonly branch: number; readonly index: number }[],
): Promise<readonly number[]> {
  const rows = await on.query<{ id: number }>(sql`
    select address.id from address
    join unnest(${places.map(({ branch }) => branch)}::bigint[], ${places.map(({ index }) => index)}::bigint[])
      as place (branch, index) on place.branch = address.branch and place.index = address.index
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

/** An open sweep, locked; undefined where it has ended, or never was. */
export async function lockOpenSweep(tx: Tx, id: string): Promise<Sweep | undefined> {
  const row = await one<SweepRow>(
    tx,
    sql`select ${columns} from sweep where id = ${id} and state not in ('done', 'dropped') for update`,
  )
  return row === undefined ? undefined : toSweep(row)
}

/** A node took it, or takes it again: a chain that lost its tail takes ends back too. */
export async function markSent(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(sql`
    update sweep set state = 'sent', tx_hash = ${txHash}, block_height = null, block_hash = null, is_success = null,
      ended_at = null
    where id = ${id}`)
}

export async function noteIncluded(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(sql`update sweep set tx_hash = ${txHash} where id = ${id}`)
}

/** It stays in its block. */
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
  await tx.query(sql`update sweep set state = ${state}, ended_at = now() where id = ${id}`)
}

/** Sweeps that are final and of which nobody has read yet what they took, oldest first. */
export async function readFinal(on: Queryable, rows: number): Promise<readonly Sweep[]> {
  const found = await on.query<SweepRow>(
    sql`select ${columns} from sweep where state = 'final' order by planned_at, id limit ${rows}`,
  )
  return found.map(toSweep)
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
