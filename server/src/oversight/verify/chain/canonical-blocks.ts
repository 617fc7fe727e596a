/** Checks that the list of canonical blocks has no gap and agrees with the chain. */
import sql from 'sql-template-tag'
import type { ChainReader } from '../../../chains/port.ts'
import { type ChainInvariant, findingsMax, type Invariant, type Outcome } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

export const blocksAreContiguous: Invariant = slicedInvariant({
  id: 'M18',
  title: 'stored blocks are contiguous and linked up to the cursor, and contain the transactions',
  unit: 'blocks',
  parts: [
    {
      examined: sql`select count(*) as examined from block`,
      violations: () => sql`
    select format('%s holds %s blocks from %s to %s, its cursor says %s to %s',
      network, coalesce(held.blocks, 0), held.lowest, held.highest, cursor.kept_from, cursor.height) as finding
    from (
      select network, height, first_height, coalesce(kept_from, first_height) as kept_from from chain_cursor
    ) cursor
    full join (
      select block.network, count(*) filter (where block.height >= coalesce(kept_from, first_height)) as blocks,
        min(block.height) filter (where block.height >= coalesce(kept_from, first_height)) as lowest,
        min(block.height) as first, max(block.height) as highest
      from block left join chain_cursor on chain_cursor.network = block.network
      group by block.network
    ) held using (network)
    where (held.first = cursor.first_height and held.lowest = cursor.kept_from and held.highest = cursor.height
      and held.blocks = cursor.height - cursor.kept_from + 1) is not true
    union all
    select format('block %s of %s has the parent %s, the block below it is %s', height, network, parent_hash, hash_below)
    from (
      select network, height, parent_hash,
        lag(hash) over chain as hash_below, lag(height) over chain as height_below
      from block window chain as (partition by network order by height)
    ) linked
    where height_below = height - 1 and parent_hash <> hash_below
    union all
    select format('the cursor of %s is at %s, its last block is %s', cursor.network, cursor.hash, block.hash)
    from chain_cursor cursor
    join block on block.network = cursor.network and block.height = cursor.height
    where block.hash <> cursor.hash`,
    },
    {
      over: 'deposits',
      tables: ['deposit'],
      since: 'deposits',
      violations: () => sql`
    select format('transaction %s is in block %s of %s, which is not canonical', deposit.id, block_hash, deposit.network)
      as finding
    from deposit
    left join block on block.network = deposit.network and block.height = deposit.block_height
    where deposit.block_height is not null and block.hash is distinct from deposit.block_hash`,
    },
  ],
})

/**
 * Number of the highest final blocks that are compared with the node. About the same number of older blocks,
 * evenly spread, is compared too.
 */
const comparedMax = 256
const readsAtOnce = 16

/**
 * Only final blocks are compared. A block that is not final may still be replaced, and the watcher handles
 * such a replacement.
 */
export function blocksAreTheChains(network: string): ChainInvariant {
  return {
    id: 'M18-chain',
    title: `final blocks of ${network} are the node's`,
    unit: 'blocks compared',
    network,
    prepare: async ({ on }) => {
      const stored = await on.query<{ height: number; hash: string }>(sql`
        with final as (
          select block.height, block.hash,
            row_number() over (order by block.height desc) as depth, count(*) over () as blocks
          from block join chain_cursor cursor using (network)
          where network = ${network} and block.height <= cursor.final_height
        )
        select height, hash from final
        where depth <= ${comparedMax} or depth % greatest(1, blocks / ${comparedMax}) = 0
        order by height`)
      return ({ reader }, signal) => compareHashes(reader, stored, signal)
    },
  }
}

async function compareHashes(
  reader: ChainReader,
  stored: readonly { height: number; hash: string }[],
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  for (let from = 0; from < stored.length && findings.length < findingsMax; from += readsAtOnce) {
    const some = stored.slice(from, from + readsAtOnce)
    const headers = await Promise.all(some.map(({ height }) => reader.readHeader(height, signal)))
    for (const [index, { height, hash }] of some.entries()) {
      const reported = headers[index]?.hash
      if (reported !== hash)
        findings.push(`block ${height} is ${hash} here and ${reported ?? 'unknown'} at the node`)
    }
  }
  return { examined: stored.length, findings: findings.slice(0, findingsMax) }
}
