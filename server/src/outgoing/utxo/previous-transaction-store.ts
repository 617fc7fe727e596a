/**
 * Stores the whole previous transactions of our UTXOs. On chains without SegWit, the signer accepts nothing
 * else as proof of a UTXO's amount.
 */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'

export interface UnshownBlock {
  readonly height: number
  readonly hash: string
  /** The transactions in the block with an output of ours that is still unspent. */
  readonly txHashes: readonly string[]
}

/**
 * Returns the blocks with unspent outputs of ours whose previous transactions are not stored. The newest
 * block comes first, because a pruned node may no longer have the oldest blocks.
 */
export function findUnshown(
  on: Queryable,
  network: string,
  { below, max }: { readonly below: number; readonly max: number },
): Promise<readonly UnshownBlock[]> {
  return on.query<UnshownBlock>(
    named(
      'find-unshown-outputs',
      sql`
      select block.height, block.hash, array_agg(distinct own_output.tx_hash) as "txHashes"
      from own_output join block on block.network = own_output.network and block.height = own_output.height
      where own_output.network = ${network} and own_output.spent_by is null and own_output.height < ${below}::bigint
        and not exists (
          select from previous_transaction previous where previous.network = own_output.network and previous.tx_hash = own_output.tx_hash)
        and not exists (
          select from outgoing_transaction_attempt attempt where attempt.network = own_output.network and attempt.tx_hash = own_output.tx_hash)
      group by block.height, block.hash order by block.height desc limit ${max}`,
    ),
  )
}

/**
 * Stores previous transactions.
 * @param previousTransactions the transactions in hex, keyed by their verified hashes
 */
export async function insertPreviousTransactions(
  on: Queryable,
  network: string,
  previousTransactions: ReadonlyMap<string, string>,
): Promise<void> {
  if (previousTransactions.size === 0) return
  await on.query(sql`
    insert into previous_transaction (network, tx_hash, raw)
    select ${network}, tx_hash, decode(raw, 'hex')
    from unnest(${[...previousTransactions.keys()]}::text[], ${[...previousTransactions.values()]}::text[]) as row (tx_hash, raw)
    on conflict do nothing`)
}

/**
 * Returns previous transactions in hex, keyed by hash. Our own transactions are available as soon as they are
 * signed.
 */
export async function readPreviousTransactions(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ hash: string; raw: string }>(
    named(
      'read-previous-transactions',
      sql`
      select tx_hash as hash, encode(raw, 'hex') as raw from previous_transaction
      where network = ${network} and tx_hash = any(${[...txHashes]}::text[])
      union all
      select tx_hash, raw from outgoing_transaction_attempt
      where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`,
    ),
  )
  return new Map(rows.map(({ hash, raw }) => [hash, raw]))
}
