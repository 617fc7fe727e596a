/** The transactions that made coins of ours, whole: where there are no witnesses the signer believes nothing else. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'

export interface UnshownBlock {
  readonly height: number
  readonly hash: string
  /** Of what made coins there that were not spent. */
  readonly txHashes: readonly string[]
}

/** Blocks with coins whose makers are not kept, the newest first: nodes that drop blocks drop the oldest. */
export function findUnshown(
  on: Queryable,
  network: string,
  { below, max }: { readonly below: number; readonly max: number },
): Promise<readonly UnshownBlock[]> {
  return on.query<UnshownBlock>(
    named(
      'find-unshown-coins',
      sql`
      select block.height, block.hash, array_agg(distinct coin.tx_hash) as "txHashes"
      from coin join block on block.network = coin.network and block.height = coin.height
      where coin.network = ${network} and coin.spent_by is null and coin.height < ${below}::bigint
        and not exists (
          select from coin_maker maker where maker.network = coin.network and maker.tx_hash = coin.tx_hash)
        and not exists (
          select from payout_attempt attempt where attempt.network = coin.network and attempt.tx_hash = coin.tx_hash)
      group by block.height, block.hash order by block.height desc limit ${max}`,
    ),
  )
}

/** @param makers in hex, by their hashes, which they were found to have */
export async function insertMakers(
  on: Queryable,
  network: string,
  makers: ReadonlyMap<string, string>,
): Promise<void> {
  if (makers.size === 0) return
  await on.query(sql`
    insert into coin_maker (network, tx_hash, raw)
    select ${network}, tx_hash, decode(raw, 'hex')
    from unnest(${[...makers.keys()]}::text[], ${[...makers.values()]}::text[]) as row (tx_hash, raw)
    on conflict do nothing`)
}

/** In hex, by their hashes; what we made ourselves is there from its signature on. */
export async function readMakers(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ hash: string; raw: string }>(
    named(
      'read-coin-makers',
      sql`
      select tx_hash as hash, encode(raw, 'hex') as raw from coin_maker
      where network = ${network} and tx_hash = any(${[...txHashes]}::text[])
      union all
      select tx_hash, raw from payout_attempt
      where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`,
    ),
  )
  return new Map(rows.map(({ hash, raw }) => [hash, raw]))
}
