import sql from 'sql-template-tag'
import { named, one } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'

/**
 * A range of heights whose blocks may be deleted. `from` is its first height, and `to` is the height after
 * its last.
 */
export interface OldBlocks {
  readonly network: string
  readonly from: number
  readonly to: number
}

/**
 * The blocks that are kept of each network: the newest `blocks` blocks always, and all blocks of the last `days`
 * days, but of these at most the newest `blocksMax`.
 */
export interface KeptBlocks {
  readonly blocks: number
  readonly days: number
  readonly blocksMax: number
}

/**
 * Returns the next range of blocks that may be deleted, or undefined if there is none. Locks the cursor of
 * the range's network. Skips networks whose cursor another transaction has locked. Every block of the range
 * is:
 * - far below the cursor, and older than the retention time or beyond the maximum number of blocks;
 * - final, if the chain reports finality;
 * - older than every outgoing transaction in progress, whose block may still be looked up.
 */
export function lockOldBlocks(tx: Tx, rows: number, keep: KeptBlocks): Promise<OldBlocks | undefined> {
  return one<OldBlocks>(
    tx,
    named(
      'lock-old-blocks',
      sql`
      select cursor.network, stretch.first as "from", stretch.next as "to"
      from chain_cursor cursor
      cross join lateral (
        select coalesce(kept_from, first_height) as first,
          least(cursor.height - ${keep.blocks}::bigint,
            case when final_height >= 0 then final_height end) as bound,
          cursor.height - ${keep.blocksMax}::bigint as counted_from,
          coffer_now() - make_interval(days => ${keep.days}::integer) as kept_since,
          (select min(planned_at) - interval '1 day' from outgoing_transaction
           where outgoing_transaction.network = cursor.network
             and outgoing_transaction.state not in ('final', 'conflicted')) as needed_since
      ) kept
      cross join lateral (
        select kept.first, least(kept.bound, coalesce(
          (select min(block.height) from block
           where block.network = cursor.network and block.height >= kept.first
             and block.height < kept.first + ${rows}::bigint
             and (mined_at >= kept.needed_since
               or (mined_at >= kept.kept_since and block.height >= kept.counted_from))),
          kept.first + ${rows}::bigint)) as next
      ) stretch
      where stretch.next > stretch.first
      order by cursor.network limit 1
      for update of cursor skip locked`,
    ),
  )
}

/**
 * Deletes the blocks of a range, except the first block ever followed and blocks to which other rows refer.
 */
export async function deleteOldBlocks(tx: Tx, { network, from, to }: OldBlocks): Promise<void> {
  await tx.query(
    named(
      'delete-old-blocks',
      sql`
      delete from block
      where network = ${network} and height >= ${from}::bigint and height < ${to}::bigint
        and height > (select first_height from chain_cursor where chain_cursor.network = ${network})
        and not exists (
          select from deposit where deposit.network = block.network and block_height = block.height)
        and not exists (
          select from deposit where deposit.network = block.network and replaced_height = block.height)
        and not exists (
          select from missed_payment missed
          where missed.network = block.network and missed.height = block.height and state in ('open', 'unexplained'))
        and not exists (
          select from outgoing_transaction where outgoing_transaction.network = block.network and included_height = block.height)
        and not exists (
          select from own_output where own_output.network = block.network and own_output.height = block.height and spent_by is null)
        and not exists (
          select from own_output where own_output.network = block.network and spent_height = block.height and spent_by is not null)`,
    ),
  )
  await tx.query(sql`update chain_cursor set kept_from = ${to} where network = ${network}`)
}
