import sql from 'sql-template-tag'
import { assert, required } from '../../core/assert.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Block, Cursor } from './block.ts'

const cursorColumns = sql`network, height, hash, final_height as "finalHeight", first_height as "firstHeight"`

export function readCursor(on: Queryable, network: string): Promise<Cursor | undefined> {
  return one<Cursor>(on, sql`select ${cursorColumns} from chain_cursor where network = ${network}`)
}

/**
 * Locks the cursor for the rest of the transaction and refuses to go on if it is not where the caller read it: what
 * was decided on another tip must not be booked on this one.
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
    `the cursor of ${expected.network} moved from ${expected.height} under its reader`,
  )
}

/**
 * Whether the cursor is where the caller read it. If so, it stays there for the rest of the transaction.
 */
export async function holdsCursor(tx: Tx, expected: Cursor): Promise<boolean> {
  const cursor = await one<Cursor>(
    tx,
    sql`select ${cursorColumns} from chain_cursor where network = ${expected.network} for share`,
  )
  return cursor?.height === expected.height && cursor.hash === expected.hash
}

/** Where our list of blocks ends, kept there until the transaction ends. */
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

/** Begins the list of canonical blocks; from here on it has no gap. */
export async function startCursor(tx: Tx, network: string, block: Block): Promise<void> {
  await tx.query(sql`
    insert into chain_cursor (network, height, hash, first_height, head_height)
    values (${network}, ${block.height}, ${block.hash}, ${block.height}, ${block.height})`)
  await insertBlock(tx, network, block)
}

/** Appends blocks, one on the other, and moves the cursor to the last of them. */
export async function extendCursor(
  tx: Tx,
  network: string,
  blocks: readonly Block[],
  head: { height: number; finalHeight: number },
): Promise<void> {
  const tip = required(blocks.at(-1), 'a block to append')
  await tx.query(
    named(
      'extend-cursor',
      sql`
      with appended as (
        insert into block (network, height, hash, parent_hash, mined_at)
        select ${network}, height, hash, "parentHash", "minedAt"
        from jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb)
          as block (height bigint, hash text, "parentHash" text, "minedAt" timestamptz)
      )
      update chain_cursor
      set height = ${tip.height}, hash = ${tip.hash}, seen_at = now(),
          head_height = greatest(${head.height}::bigint, ${tip.height}::bigint),
          final_height = greatest(final_height, least(${head.finalHeight}::bigint, ${tip.height}::bigint))
      where network = ${network}`,
    ),
  )
}

/** Takes every block above `to` off the list and moves the cursor back to it. */
export async function cutBack(tx: Tx, network: string, to: Block): Promise<void> {
  await tx.query(sql`delete from block where network = ${network} and height > ${to.height}`)
  await tx.query(sql`
    update chain_cursor
    set height = ${to.height}, hash = ${to.hash}, final_height = least(final_height, ${to.height}::bigint), seen_at = now(),
        kept_from = least(kept_from, ${to.height}::bigint)
    where network = ${network}`)
}

/** Forgets every block; what they meant must have been taken back in the same transaction. */
export async function dropCursor(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from block where network = ${network}`)
  await tx.query(sql`delete from chain_cursor where network = ${network}`)
}

/** Notes that the node was read and where its head is, without moving the cursor. */
export async function noteHead(tx: Tx, network: string, headHeight: number): Promise<void> {
  await tx.query(
    named(
      'note-head',
      sql`update chain_cursor set head_height = ${headHeight}, seen_at = now() where network = ${network}`,
    ),
  )
}

/** The canonical blocks of heights `from`..`to` we hold, highest first. */
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

/** How each network stands: its lag in blocks and how long ago its node last answered, by the database's clock. */
export interface ChainProgress {
  readonly network: string
  readonly height: number
  readonly headHeight: number
  readonly seenSecondsAgo: number
  /** How old the last booked block is by the time it states. */
  readonly tipSecondsAgo: number
  /** The time of the last booked block: everything mined before it is booked. */
  readonly bookedUntil: Date
}

export function readProgress(on: Queryable): Promise<readonly ChainProgress[]> {
  return on.query<ChainProgress>(sql`
    select cursor.network, cursor.height, head_height as "headHeight", block.mined_at as "bookedUntil",
           extract(epoch from now() - seen_at)::float8 as "seenSecondsAgo",
           extract(epoch from now() - block.mined_at)::float8 as "tipSecondsAgo"
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
 * Until when each network is booked: everything mined before that is in the database. The cursors stay where they are
 * until the transaction ends.
 */
export function lockBooked(tx: Tx): Promise<readonly Pick<ChainProgress, 'network' | 'bookedUntil'>[]> {
  return tx.query<Pick<ChainProgress, 'network' | 'bookedUntil'>>(sql`
    select cursor.network, block.mined_at as "bookedUntil"
    from chain_cursor cursor
    join block on block.network = cursor.network and block.height = cursor.height
    for share of cursor`)
}
