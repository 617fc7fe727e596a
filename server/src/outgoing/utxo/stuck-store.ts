import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'

/**
 * Returns transactions with change that were sent at least `blocks` blocks ago, are not yet in a block and
 * have no CPFP. A transaction whose CPFP was refused is left out until the retry is due.
 */
export async function findStuck(
  on: Queryable,
  network: string,
  blocks: number,
  max: number,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select outgoing_transaction.id from outgoing_transaction join chain_cursor cursor using (network)
    join outgoing_utxo utxo on utxo.outgoing_transaction_id = outgoing_transaction.id
    where outgoing_transaction.network = ${network} and state in ('broadcast', 'needs_recheck') and offered_height <= cursor.height - ${blocks}
      and utxo.change_index is not null
      and not exists (
        select from outgoing_transaction cpfp where cpfp.network = outgoing_transaction.network and cpfp.kind = 'cpfp'
          and cpfp.state <> 'conflicted' and cpfp.intent::jsonb ->> 'outgoingTransactionId' = outgoing_transaction.id::text)
      and not exists (
        select from outgoing_refusal refusal where refusal.kind = 'cpfp'
          and refusal.intent::jsonb ->> 'outgoingTransactionId' = outgoing_transaction.id::text
          and (refusal.retry_at is null or refusal.retry_at > coffer_now()))
    order by planned_at, outgoing_transaction.id limit ${max}`)
  return rows.map(({ id }) => id)
}

/** Returns whether a consolidation is open, or was refused and is not due for a retry yet. */
export async function hasOpenConsolidation(on: Queryable, network: string): Promise<boolean> {
  const row = await one(
    on,
    sql`
    select 1 as found from outgoing_transaction
    where network = ${network} and kind = 'consolidate' and state not in ('final', 'conflicted')
    union all
    select 1 from outgoing_refusal
    where network = ${network} and kind = 'consolidate' and (retry_at is null or retry_at > coffer_now()) limit 1`,
  )
  return row !== undefined
}
