/**
 * Reads and releases the UTXOs of conflicted outgoing transactions. The signer lets only a reclaim spend
 * these UTXOs.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import {
  keyPathIn,
  mayBeSpent,
  previousTransactionOf,
  type SpendableRow,
  type SpendableUtxo,
  type TrustedHeights,
  toSpendable,
} from '../utxo-store.ts'

/**
 * SQL: unspent outpoints that an outgoing transaction has released, each with the last outgoing transaction
 * that reserved it.
 */
const lastOwner = (network: string) => sql`
  select distinct on (input.outpoint) input.outpoint, input.amount_minor, input.key_type, input.key_branch, input.key_index, input.outgoing_transaction_id, outgoing_transaction.state
  from outgoing_transaction_input input join outgoing_transaction on outgoing_transaction.id = input.outgoing_transaction_id
  where input.network = ${network} and input.outpoint in (
    select released.outpoint from outgoing_transaction_input released
    join own_output on own_output.network = released.network and own_output.outpoint = released.outpoint and own_output.spent_by is null
    where released.network = ${network} and released.is_released)
  order by input.outpoint, outgoing_transaction.planned_at desc, outgoing_transaction.id desc`

/**
 * Returns conflicted transactions that have a UTXO of `leastMinor` or more to reclaim. A transaction whose
 * reclaim was refused is left out until the retry is due.
 */
export async function findReclaimable(
  on: Queryable,
  network: string,
  leastMinor: bigint,
  max: number,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    with owned as (${lastOwner(network)})
    select distinct outgoing_transaction_id as id from owned
    where state = 'conflicted' and amount_minor >= ${`${leastMinor}`}::numeric and not exists (
      select from outgoing_refusal refusal where refusal.network = ${network} and refusal.kind = 'reclaim'
        and refusal.intent::jsonb ->> 'outgoingTransactionId' = owned.outgoing_transaction_id::text
        and (refusal.retry_at is null or refusal.retry_at > coffer_now()))
    order by outgoing_transaction_id limit ${max}`)
  return rows.map(({ id }) => id)
}

/** Returns the UTXOs that can be reclaimed from an outgoing transaction, the most valuable first. */
export async function readReclaimable(
  on: Queryable,
  network: string,
  outgoingTransactionId: string,
  {
    at,
    needsPreviousTransactions,
  }: { readonly at: TrustedHeights; readonly needsPreviousTransactions: boolean },
): Promise<readonly SpendableUtxo[]> {
  const rows = await on.query<SpendableRow>(sql`
    with owned as (${lastOwner(network)})
    select owned.outpoint, owned.amount_minor as minor, ${keyPathIn('owned')} as "keyPath", previous.bytes
    from owned
    join own_output on own_output.network = ${network} and own_output.outpoint = owned.outpoint
    left join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
    left join lateral (${previousTransactionOf(needsPreviousTransactions)}) previous on true
    where owned.outgoing_transaction_id = ${outgoingTransactionId} and owned.state = 'conflicted' and ${mayBeSpent(at)}
      and (previous.bytes is not null or not ${needsPreviousTransactions}::boolean)
    order by owned.amount_minor desc, owned.outpoint`)
  return rows.map(toSpendable)
}

/**
 * Releases the UTXOs of an outgoing transaction, because a reclaim in the signer's log spends them. In the
 * database, the outgoing transaction may still be open.
 */
export async function releaseInputs(
  tx: Tx,
  network: string,
  outgoingTransactionId: string,
  outpoints: readonly string[],
): Promise<void> {
  await tx.query(sql`
    update outgoing_utxo set is_released = true
    where network = ${network} and outgoing_transaction_id = ${outgoingTransactionId} and pinned_outpoint = any(${[...outpoints]}::text[])`)
  await tx.query(sql`
    update outgoing_transaction_input set is_released = true
    where network = ${network} and outgoing_transaction_id = ${outgoingTransactionId} and outpoint = any(${[...outpoints]}::text[])`)
}
