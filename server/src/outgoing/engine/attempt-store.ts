import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Fees } from './payout.ts'

export interface NewAttempt {
  readonly network: string
  readonly txHash: string
  readonly payoutId: string
  /** In hex without prefix. */
  readonly raw: string
  readonly fees: Fees
}

/** Stores signed bytes; those that are there already stay as they are. */
export async function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  const rows = attempts.map(({ network, txHash, payoutId, raw, fees }) => ({
    network,
    tx_hash: txHash,
    payout_id: payoutId,
    raw,
    gas: `${fees.gas}`,
    max_fee_minor: `${fees.maxFeeMinor}`,
    tip_minor: `${fees.tipMinor}`,
  }))
  await tx.query(
    named(
      'insert-payout-attempts',
      sql`
      insert into payout_attempt (network, tx_hash, payout_id, raw, gas, max_fee_minor, tip_minor)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (network text, tx_hash text, payout_id uuid, raw text, gas numeric, max_fee_minor numeric,
                tip_minor numeric)
      on conflict (network, tx_hash) do nothing`,
    ),
  )
}

/** Bytes to hand to nodes. */
export interface Sendable {
  readonly payoutId: string
  readonly txHash: string
  readonly raw: string
}

/**
 * The newest bytes of each payout that no node was given at this height: new ones, and those that nobody knows of. In
 * each wallet's order.
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
      select p.id as "payoutId", a.tx_hash as "txHash", a.raw
      from payout p
      cross join lateral (
        select tx_hash, raw from payout_attempt
        where payout_id = p.id order by max_fee_minor desc, tip_minor desc limit 1
      ) a
      where p.network = ${network} and p.state in ('signed', 'broadcast', 'in_doubt')
        and (p.sent_height is null or (p.state <> 'broadcast' and p.sent_height <> ${height}))
      order by p.wallet, p.nonce
      limit ${max}`,
    ),
  )
}

/** The hashes of all bytes of some payouts, the newest first. */
export async function readHashes(
  on: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await on.query<{ id: string; hashes: string[] }>(
    named(
      'read-attempt-hashes',
      sql`select payout_id as id, array_agg(tx_hash order by max_fee_minor desc, tip_minor desc) as hashes
          from payout_attempt where payout_id = any(${[...payoutIds]}::uuid[]) group by payout_id`,
    ),
  )
  return new Map(rows.map(({ id, hashes }) => [id, hashes]))
}

export async function saveBroadcast(tx: Tx, network: string, txHashes: readonly string[]): Promise<void> {
  await tx.query(
    named(
      'save-attempt-broadcast',
      sql`update payout_attempt set broadcast_at = now()
          where network = ${network} and tx_hash = any(${[...txHashes]}::text[]) and broadcast_at is null`,
    ),
  )
}

/** The dearest offer of a payout that was signed; undefined where none was. */
export async function readDearest(on: Queryable, payoutId: string): Promise<Fees | undefined> {
  const row = await one<{ gas: string; max: string; tip: string }>(
    on,
    sql`select gas, max_fee_minor as max, tip_minor as tip from payout_attempt
        where payout_id = ${payoutId} order by max_fee_minor desc, tip_minor desc limit 1`,
  )
  return row && { gas: BigInt(row.gas), maxFeeMinor: BigInt(row.max), tipMinor: BigInt(row.tip) }
}

/** Which of the transactions are stored. */
export async function findKnown(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ hash: string }>(
    sql`select tx_hash as hash from payout_attempt
        where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`,
  )
  return new Set(rows.map(({ hash }) => hash))
}
