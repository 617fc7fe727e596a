import sql from 'sql-template-tag'
import { named, one } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'

/** Where the list of a network's blocks may have gaps from now on: from `from` up to, and without, `to`. */
export interface OldBlocks {
  readonly network: string
  readonly from: number
  readonly to: number
}

/** What stays, whatever else: the newest blocks of each network, and all of so many days. */
export interface KeptBlocks {
  readonly blocks: number
  readonly days: number
}

/**
 * The next stretch of blocks that may go, with the cursor of its network locked, unless somebody has it: they are older
 * than blocks are kept, far below the cursor, final where the chain says what is, and older than every payout under way,
 * whose block may be looked up yet. Undefined where there is none.
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
          least(now() - make_interval(days => ${keep.days}::integer), (
            select min(planned_at) - interval '1 day' from payout
            where payout.network = cursor.network and payout.state not in ('final', 'displaced')
          )) as mined_before
      ) kept
      cross join lateral (
        select kept.first, least(kept.bound, coalesce(
          (select min(block.height) from block
           where block.network = cursor.network and block.height >= kept.first
             and block.height < kept.first + ${rows}::bigint and mined_at >= kept.mined_before),
          kept.first + ${rows}::bigint)) as next
      ) stretch
      where stretch.next > stretch.first
      order by cursor.network limit 1
      for update of cursor skip locked`,
    ),
  )
}

/** Deletes the blocks of a stretch but the first that was ever followed and those that something refers to. */
export async function deleteOldBlocks(tx: Tx, { network, from, to }: OldBlocks): Promise<void> {
  await tx.query(
    named(
      'delete-old-blocks',
      sql`
      delete from block
      where network = ${network} and height >= ${from}::bigint and height < ${to}::bigint
        and height > (select first_height from chain_cursor where chain_cursor.network = ${network})
        and not exists (
          select from transaction where transaction.network = block.network and block_height = block.height)
        and not exists (
          select from transaction where transaction.network = block.network and replaced_height = block.height)
        and not exists (
          select from missed_payment missed
          where missed.network = block.network and missed.height = block.height and state in ('open', 'unexplained'))
        and not exists (
          select from payout where payout.network = block.network and included_height = block.height)
        and not exists (
          select from coin where coin.network = block.network and coin.height = block.height and spent_by is null)
        and not exists (
          select from coin where coin.network = block.network and spent_height = block.height and spent_by is not null)`,
    ),
  )
  await tx.query(sql`update chain_cursor set kept_from = ${to} where network = ${network}`)
}
