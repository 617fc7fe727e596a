/** The table of attempts: all bytes that were ever signed for outgoing transactions. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface NewAttempt {
  readonly network: string
  readonly txHash: string
  readonly outgoingTransactionId: string
  /** The signed bytes in hex, without the `0x` prefix. */
  readonly raw: string
  /**
   * The maximum fee of the attempt, in the coin's smallest unit. Each newer attempt of the same outgoing
   * transaction has a higher maximum.
   */
  readonly maxCostMinor: bigint
}

/** Stores attempts. Attempts that are stored already stay unchanged. */
export async function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  const rows = attempts.map(({ network, txHash, outgoingTransactionId, raw, maxCostMinor }) => ({
    network,
    tx_hash: txHash,
    outgoing_transaction_id: outgoingTransactionId,
    raw,
    max_cost_minor: `${maxCostMinor}`,
  }))
  await tx.query(
    named(
      'insert-outgoing-transaction-attempts',
      sql`
      insert into outgoing_transaction_attempt (network, tx_hash, outgoing_transaction_id, raw, max_cost_minor)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (network text, tx_hash text, outgoing_transaction_id uuid, raw text, max_cost_minor numeric)
      on conflict (network, tx_hash) do nothing`,
    ),
  )
}

/** An attempt whose signed bytes must be sent to the nodes. */
export interface Sendable {
  readonly outgoingTransactionId: string
  readonly txHash: string
  readonly raw: string
}

/**
 * Returns the newest attempt of each outgoing transaction whose bytes must be sent now, in the order of
 * nonces. Bytes must be sent if they were never sent. They must also be sent if no node knows the transaction
 * and the last try was at a height other than `height`.
 */
export function readSendable(
  on: Queryable,
  network: string,
  height: number,
  max: number,
): Promise<readonly Sendable[]> {
  return on.query<Sendable>(
    named(
      'read-sendable-attempts',
      sql`
      select p.id as "outgoingTransactionId", a.tx_hash as "txHash", a.raw
      from outgoing_transaction p
      left join outgoing_evm evm on evm.outgoing_transaction_id = p.id
      cross join lateral (
        select tx_hash, raw from outgoing_transaction_attempt
        where outgoing_transaction_id = p.id order by max_cost_minor desc, tx_hash limit 1
      ) a
      where p.network = ${network} and p.state in ('signed', 'broadcast', 'needs_recheck')
        and (p.sent_height is null or (p.state <> 'broadcast' and p.sent_height <> ${height}))
      order by evm.wallet, evm.nonce, p.planned_at, p.id
      limit ${max}`,
    ),
  )
}

/** Returns the hashes of all attempts of the given outgoing transactions, the newest first. */
export async function readHashes(
  on: Queryable,
  outgoingTransactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await on.query<{ id: string; hashes: string[] }>(
    named(
      'read-attempt-hashes',
      sql`select outgoing_transaction_id as id, array_agg(tx_hash order by max_cost_minor desc, tx_hash) as hashes
          from outgoing_transaction_attempt where outgoing_transaction_id = any(${[...outgoingTransactionIds]}::uuid[])
          group by outgoing_transaction_id order by outgoing_transaction_id`,
    ),
  )
  return new Map(rows.map(({ id, hashes }) => [id, hashes]))
}

export async function saveBroadcast(tx: Tx, network: string, txHashes: readonly string[]): Promise<void> {
  await tx.query(
    named(
      'save-attempt-broadcast',
      sql`update outgoing_transaction_attempt set broadcast_at = coffer_now()
          where network = ${network} and tx_hash = any(${[...txHashes]}::text[]) and broadcast_at is null`,
    ),
  )
}

/**
 * Returns the attempt with the highest fees; undefined if nothing was signed for the outgoing transaction.
 */
export async function readDearest(
  on: Queryable,
  outgoingTransactionId: string,
): Promise<{ readonly txHash: string; readonly raw: string } | undefined> {
  return one(
    on,
    sql`select tx_hash as "txHash", raw from outgoing_transaction_attempt
        where outgoing_transaction_id = ${outgoingTransactionId} order by max_cost_minor desc, tx_hash limit 1`,
  )
}

/** Returns the given transaction hashes that belong to stored attempts. */
export async function findKnown(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ hash: string }>(
    sql`select tx_hash as hash from outgoing_transaction_attempt
        where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`,
  )
  return new Set(rows.map(({ hash }) => hash))
}
