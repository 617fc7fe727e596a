/**
 * The tables of canonical blocks and of cursors. The cursor of a network points to its last booked block, the
 * tip. A caller locks the cursor before it books anything on a tip, so that the tip cannot change meanwhile.
 */
import sql from 'sql-template-tag'
import { assert, required } from '../../core/assert.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Block, Cursor, ReadBlock } from './block.ts'

const cursorColumns = sql`network, height, hash, final_height as "finalHeight", first_height as "firstHeight"`

export function readCursor(on: Queryable, network: string): Promise<Cursor | undefined> {
  return one<Cursor>(on, sql`select ${cursorColumns} from chain_cursor where network = ${network}`)
}

/**
 * Locks the cursor until the transaction ends, and checks that the cursor has not moved since the caller read
 * it. A decision that was made on one tip must not be booked on another tip.
 */
export async function lockCursor(tx: Tx, expected: Cursor): Promise<void> {
  const cursor = await one<Cursor>(
    tx,
    named(
      'lock-cursor',
      sql`select ${cursorColumns} from chain_cursor where network = ${expected.network} for update`,
    ),
  )
  assert(
    cursor?.height === expected.height && cursor.hash === expected.hash,
    `the cursor of ${expected.network} moved from ${expected.height} while it was read`,
  )
}

/**
 * Decides whether the cursor still has the height and hash of `expected`. A share lock keeps the cursor from
 * moving until the transaction ends.
 */
export async function holdsCursor(tx: Tx, expected: Cursor): Promise<boolean> {
  const cursor = await one<Cursor>(
    tx,
    sql`select ${cursorColumns} from chain_cursor where network = ${expected.network} for share`,
  )
  return cursor?.height === expected.height && cursor.hash === expected.hash
}

/** Locks the tip of a network until the transaction ends, so that nothing is booked there at the same time. */
export function lockTip(
  tx: Tx,
  network: string,
): Promise<{ readonly height: number; readonly finalHeight: number } | undefined> {
  return one(
    tx,
    sql`select height, final_height as "finalHeight" from chain_cursor where network = ${network} for update`,
  )
}

/**
 * Returns the tip of a network, which is its last booked block. A share lock keeps the tip from moving until
 * the transaction ends.
 */
export function holdCursor(
  tx: Tx,
  network: string,
): Promise<Pick<Cursor, 'height' | 'hash' | 'finalHeight'> | undefined> {
  return one(
    tx,
    named(
      'hold-chain-cursor',
      sql`select height, hash, final_height as "finalHeight" from chain_cursor
          where network = ${network} for share`,
    ),
  )
}

/** Inserts a network's first block and its cursor. From this block on, the stored blocks have no gap. */
export async function startCursor(tx: Tx, network: string, block: Block): Promise<void> {
  await tx.query(sql`
    insert into chain_cursor (network, height, hash, first_height, head_height)
    values (${network}, ${block.height}, ${block.hash}, ${block.height}, ${block.height})`)
  await insertBlock(tx, network, block)
}

/** Appends consecutive blocks and moves the cursor to the last of them. */
export async function extendCursor(
  tx: Tx,
  network: string,
  blocks: readonly ReadBlock[],
  head: { height: number; finalHeight: number },
): Promise<void> {
  const tip = required(blocks.at(-1), 'a block to append')
  await tx.query(
    named(
      'extend-cursor',
      sql`
      with appended as (
        insert into block (network, height, hash, parent_hash, mined_at, traced_by)
        select ${network}, height, hash, "parentHash", "minedAt", "tracedBy"
        from jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb)
          as block (height bigint, hash text, "parentHash" text, "minedAt" timestamptz, "tracedBy" text)
      )
      update chain_cursor
      set height = ${tip.height}, hash = ${tip.hash}, seen_at = coffer_now(),
          head_height = greatest(${head.height}::bigint, ${tip.height}::bigint),
          final_height = greatest(final_height, least(${head.finalHeight}::bigint, ${tip.height}::bigint))
      where network = ${network}`,
    ),
  )
}

/** Deletes every block above `to` and moves the cursor back to `to`. */
export async function cutBack(tx: Tx, network: string, to: Block): Promise<void> {
  await tx.query(sql`delete from block where network = ${network} and height > ${to.height}`)
  await tx.query(sql`
    update chain_cursor
    set height = ${to.height}, hash = ${to.hash}, final_height = least(final_height, ${to.height}::bigint), seen_at = coffer_now(),
        kept_from = least(kept_from, ${to.height}::bigint)
    where network = ${network}`)
}

/**
 * Deletes all blocks and the cursor. In the same database transaction, the caller must revert everything that
 * was booked from these blocks.
 */
export async function dropCursor(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from block where network = ${network}`)
  await tx.query(sql`delete from chain_cursor where network = ${network}`)
}

/**
 * Stores the height of the node's head, and the current time as the time of the node's answer. The cursor
 * does not move.
 */
export async function noteHead(tx: Tx, network: string, headHeight: number): Promise<void> {
  await tx.query(
    named(
      'note-head',
      sql`update chain_cursor set head_height = ${headHeight}, seen_at = coffer_now() where network = ${network}`,
    ),
  )
}

/** Returns the stored canonical blocks of heights `from` to `to`, highest first. */
export function readBlocks(
  on: Queryable,
  network: string,
  from: number,
  to: number,
): Promise<readonly Block[]> {
  return on.query<Block>(sql`
    select height, hash, parent_hash as "parentHash", mined_at as "minedAt"
    from block where network = ${network} and height between ${from} and ${to}
    order by height desc`)
}

/**
 * Returns those of the given networks whose last block with transactions was read without call traces. On UTXO
 * chains, and where nothing was read yet, there is no such block.
 */
export async function readLateNetworks(
  on: Queryable,
  networks: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ network: string }>(sql`
    select asked.network from unnest(${[...networks]}::text[]) as asked (network)
    cross join lateral (
      select traced_by from block where block.network = asked.network and traced_by is not null
        and height > (select height - 10000 from chain_cursor where chain_cursor.network = asked.network)
      order by height desc limit 1
    ) last
    where traced_by = 'none'`)
  return new Set(rows.map(({ network }) => network))
}

/** Returns whether a stored block of the network above `height` was read without call traces. */
export async function hasUntracedAbove(on: Queryable, network: string, height: number): Promise<boolean> {
  const row = await one(
    on,
    sql`select height from block where network = ${network} and traced_by = 'none' and height > ${height}::bigint limit 1`,
  )
  return row !== undefined
}

/**
 * The progress of one network: the heights of its last booked block and of the node's head. The age of the
 * node's last answer is measured by the clock of the database.
 */
export interface ChainProgress {
  readonly network: string
  readonly height: number
  readonly headHeight: number
  readonly seenSecondsAgo: number
  /** Age of the last booked block, by the block's own timestamp. */
  readonly tipSecondsAgo: number
  /** The timestamp of the last booked block. Every block mined before this time is booked. */
  readonly bookedUntil: Date
}

export function readProgress(on: Queryable): Promise<readonly ChainProgress[]> {
  return on.query<ChainProgress>(sql`
    select cursor.network, cursor.height, head_height as "headHeight", block.mined_at as "bookedUntil",
           extract(epoch from coffer_now() - seen_at)::float8 as "seenSecondsAgo",
           extract(epoch from coffer_now() - block.mined_at)::float8 as "tipSecondsAgo"
    from chain_cursor cursor
    join block on block.network = cursor.network and block.height = cursor.height
    order by cursor.network`)
}

async function insertBlock(tx: Tx, network: string, block: Block): Promise<void> {
  await tx.query(sql`
    insert into block (network, height, hash, parent_hash, mined_at)
    values (${network}, ${block.height}, ${block.hash}, ${block.parentHash}, ${block.minedAt})`)
}

/**
 * Returns for each network the timestamp of its last booked block. Every block that was mined before this
 * time is booked. A share lock keeps the cursors from moving until the transaction ends.
 */
export function lockBooked(tx: Tx): Promise<readonly Pick<ChainProgress, 'network' | 'bookedUntil'>[]> {
  return tx.query<Pick<ChainProgress, 'network' | 'bookedUntil'>>(sql`
    select cursor.network, block.mined_at as "bookedUntil"
    from chain_cursor cursor
    join block on block.network = cursor.network and block.height = cursor.height
    order by cursor.network for share of cursor`)
}
