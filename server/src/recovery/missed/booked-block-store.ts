import sql from 'sql-template-tag'
import type { Block } from '../../chains/blocks/block.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/**
 * `same`: the books have this block. `other`: the books have another block at this height, or the block
 * before or after does not link to this block. `forgotten`: the books had a block at this height and deleted
 * it for its age. `absent`: the books have no block at this height, for example because it was just reverted.
 */
export type BlockStatus = 'same' | 'other' | 'forgotten' | 'absent'

/** Returns whether the books contain a block that the nodes report. */
export async function readBlockStatus(
  on: Queryable,
  network: string,
  { height, hash, parentHash }: Pick<Block, 'height' | 'hash' | 'parentHash'>,
): Promise<BlockStatus> {
  const row = await one<{ status: BlockStatus }>(
    on,
    sql`
    select case
      when own.hash = ${hash} then 'same'
      when own.hash is not null or below.hash <> ${parentHash} or above.parent_hash <> ${hash} then 'other'
      when cursor.first_height < ${height}::bigint and ${height}::bigint < cursor.kept_from then 'forgotten'
      else 'absent' end as status
    from chain_cursor cursor
    left join block own on own.network = cursor.network and own.height = ${height}::bigint
    left join block below on below.network = cursor.network and below.height = ${height}::bigint - 1
    left join block above on above.network = cursor.network and above.height = ${height}::bigint + 1
    where cursor.network = ${network}`,
  )
  return row?.status ?? 'absent'
}

/**
 * Returns true if a payment may be booked in this block. Stores a `forgotten` block again, because the block
 * of a deposit must be in the list of blocks. The blocks around it may stay deleted: only the newest blocks
 * in the list must have no gap.
 */
export async function takeBlock(tx: Tx, network: string, block: Block): Promise<boolean> {
  const status = await readBlockStatus(tx, network, block)
  if (status !== 'forgotten') return status === 'same'
  const { height, hash, parentHash, minedAt } = block
  await tx.query(sql`
    insert into block (network, height, hash, parent_hash, mined_at)
    values (${network}, ${height}, ${hash}, ${parentHash}, ${minedAt}) on conflict do nothing`)
  return (await readBlockStatus(tx, network, block)) === 'same'
}
