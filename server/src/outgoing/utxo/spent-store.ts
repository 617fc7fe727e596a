/**
 * Reads from the booked blocks how the UTXOs of outgoing transactions were spent. Also reads which UTXOs of
 * ours were spent by transactions that the database does not know.
 */
import sql from 'sql-template-tag'
import type { TakenSlot } from '../../chains/port.ts'
import { named, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** An attempt that was mined in a block that the watcher has booked. */
export interface MinedAttempt {
  readonly outgoingTransactionId: string
  readonly txHash: string
  readonly raw: string
  readonly height: number
  readonly blockHash: string
}

/**
 * Returns the given attempts that are in booked blocks. The block of an attempt is the block in which its
 * UTXOs were spent.
 */
export function readMinedAttempts(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<readonly MinedAttempt[]> {
  return on.query<MinedAttempt>(
    named(
      'read-mined-attempts',
      sql`
      select distinct on (attempt.tx_hash) attempt.outgoing_transaction_id as "outgoingTransactionId",
        attempt.tx_hash as "txHash", attempt.raw, block.height, block.hash as "blockHash"
      from outgoing_transaction_attempt attempt
      join own_output on own_output.network = attempt.network and own_output.spent_by = attempt.tx_hash
      join block on block.network = own_output.network and block.height = own_output.spent_height
      where attempt.network = ${network} and attempt.tx_hash = any(${[...txHashes]}::text[])
      order by attempt.tx_hash, block.height`,
    ),
  )
}

export interface TakenInput extends TakenSlot {
  readonly outgoingTransactionId: string
  readonly outpoint: string
  readonly txHash: string
  /** Whether the deposit that would have made the UTXO was replaced, so that the UTXO does not exist. */
  readonly isUnmade: boolean
}

/**
 * Returns, for each outgoing transaction that can never be mined, a UTXO that it cannot spend. Either another
 * transaction spends the UTXO in a block up to `height`, or the UTXO was never made because its deposit was
 * replaced. If a transaction spends the change of another outgoing transaction, the UTXOs of that other
 * transaction are checked too.
 */
export async function readTakenInputs(
  on: Queryable,
  network: string,
  outgoingTransactionIds: readonly string[],
  height: number,
): Promise<readonly TakenInput[]> {
  return on.query<TakenInput>(sql`
    with recursive line as (
      select id as outgoing_transaction_id, id as of_id from outgoing_transaction where id = any(${[...outgoingTransactionIds]}::uuid[])
      union
      select line.outgoing_transaction_id, previous.id
      from line
      join outgoing_transaction_input input on input.outgoing_transaction_id = line.of_id
      join outgoing_transaction_attempt attempt
        on attempt.network = ${network} and attempt.tx_hash = split_part(input.outpoint, ':', 1)
      join outgoing_transaction previous on previous.id = attempt.outgoing_transaction_id and previous.state <> 'final'
    )
    select distinct on (line.outgoing_transaction_id) line.outgoing_transaction_id as "outgoingTransactionId", input.outpoint, taken.tx_hash as "txHash",
      taken.height, block.hash as "blockHash", taken.is_unmade as "isUnmade"
    from line
    join outgoing_transaction_input input on input.outgoing_transaction_id = line.of_id
    cross join lateral (
      select spent_by as tx_hash, spent_height as height, false as is_unmade from own_output
      where own_output.network = ${network} and own_output.outpoint = input.outpoint and spent_height <= ${height}
      union all
      select replaced_by, replaced_height, true from deposit
      where deposit.network = ${network} and transfer_key = input.outpoint and state = 'failed'
        and replaced_height <= ${height}
    ) taken
    join block on block.network = ${network} and block.height = taken.height
    where not exists (
      select from outgoing_transaction_attempt attempt
      where attempt.network = ${network} and attempt.tx_hash = taken.tx_hash and attempt.outgoing_transaction_id = line.of_id)
    order by line.outgoing_transaction_id, taken.height, input.ordinal, input.outpoint, taken.tx_hash`)
}

export interface MissedSpend {
  readonly outpoint: string
  readonly spentBy: string
}

/**
 * Returns UTXOs of ours that were spent, in blocks from `fromHeight` on, by transactions that are not
 * attempts of ours. UTXOs that were already reported to operators are left out.
 */
export function readMissed(
  on: Queryable,
  network: string,
  fromHeight: number,
): Promise<readonly MissedSpend[]> {
  return on.query<MissedSpend>(
    named(
      'read-missed-spends',
      sql`
      select outpoint, spent_by as "spentBy" from own_output
      where network = ${network} and spent_height >= ${fromHeight} and missed_at is null and not exists (
        select from outgoing_transaction_attempt attempt
        where attempt.network = own_output.network and attempt.tx_hash = own_output.spent_by)
      order by spent_height, outpoint limit 100`,
    ),
  )
}

export async function markMissed(tx: Tx, network: string, outpoints: readonly string[]): Promise<void> {
  await tx.query(sql`
    update own_output set missed_at = coffer_now()
    where network = ${network} and outpoint = any(${[...outpoints]}::text[]) and missed_at is null`)
}
