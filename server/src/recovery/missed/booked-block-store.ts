import sql from 'sql-template-tag'
import type { Block } from '../../chains/blocks/block.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/**
 * same: the books have this very block. other: they have another one there, or a neighbour that does not link to this one.
 * forgotten: they had one, and deleted it for its age. absent: they have none, such as where it was just taken back.
 */
export type BlockStanding = 'same' | 'other' | 'forgotten' | 'absent'

/** What the books say of a block that the nodes have. */
export async function readBlockStanding(
  on: Queryable,
  network: string,
  { height, hash, parentHash }: Pick<Block, 'height' | 'hash' | 'parentHash'>,
): Promise<BlockStanding> {
  const row = await one<{ standing: BlockStanding }>(
    on,
    sql`
    select case
      when own.hash = ${hash} then 'same'
      when own.hash is not null or below.hash <> ${parentHash} or above.parent_hash <> ${hash} then 'other'
      when cursor.first_height < ${height}::bigint and ${height}::bigint < cursor.kept_from then 'forgotten'
      else 'absent' end as standing
    from chain_cursor cursor
    left join block own on own.network = cursor.network and own.height = ${height}::bigint
    left join block below on below.network = cursor.network and below.height = ${height}::bigint - 1
    left join block above on above.network = cursor.network and above.height = ${height}::bigint + 1
    where cursor.network = ${network}`,
  )
  return row?.standing ?? 'absent'
}

/**
 * Whether a payment may be booked in this block. One that was forgotten goes back on the list, as the nodes have it: a
 * transaction needs its block there, and below those that are kept without a gap the list may hold single ones.
 */
export async function takeBlock(tx: Tx, network: string, block: Block): Promise<boolean> {
  const standing = await readBlockStanding(tx, network, block)
  if (standing !== 'forgotten') return standing === 'same'
  const { height, hash, parentHash, minedAt } = block
  await tx.query(sql`
    insert into block (network, height, hash, parent_hash, mined_at)
    values (${network}, ${height}, ${hash}, ${parentHash}, ${minedAt}) on conflict do nothing`)
  return (await readBlockStanding(tx, network, block)) === 'same'
}
