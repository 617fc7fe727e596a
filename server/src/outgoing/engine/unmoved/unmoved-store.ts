/** Outgoing transactions that were mined with success in a final block but lack an expected transfer. */
import sql from 'sql-template-tag'
import type { BooksMacs } from '../../../core/books-macs.ts'
import { macsOf, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type DecidedOutcome, hasOutcomeMac, outcomeMac, type UnmovedOutcome } from './outcome-mac.ts'

export interface Unmoved {
  readonly outgoingTransactionId: string
  readonly blockHash: string
  readonly txHash: string
  readonly detail: string
  /**
   * The operator's decision: `paid` completes the order; `unpaid` fails the order and releases its hold.
   * Undefined if there is no decision, or if the stored decision carries no valid MAC.
   */
  readonly outcome: UnmovedOutcome | undefined
  /** Whether a stored decision has no valid MAC, so that somebody else wrote it. */
  readonly isForged: boolean
}

/** An outgoing transaction that was just found to lack a transfer. No operator has decided about it yet. */
export type FoundUnmoved = Pick<Unmoved, 'outgoingTransactionId' | 'blockHash' | 'txHash' | 'detail'>

interface UnmovedRow {
  readonly outgoing_transaction_id: string
  readonly block_hash: string
  readonly tx_hash: string
  readonly detail: string
  readonly outcome: UnmovedOutcome | null
  readonly outcome_mac: string | null
}

/** Returns a record for each block in which one of the given outgoing transactions lacks a transfer. */
export async function readUnmoved(
  on: Queryable,
  outgoingTransactionIds: readonly string[],
): Promise<readonly Unmoved[]> {
  if (outgoingTransactionIds.length === 0) return []
  const rows = await on.query<UnmovedRow>(sql`
    select outgoing_transaction_id, block_hash, tx_hash, detail, outcome, outcome_mac from missing_transfer
    where outgoing_transaction_id = any(${[...outgoingTransactionIds]}::uuid[])
    order by outgoing_transaction_id, block_hash`)
  return rows.map((row) => toUnmoved(row, macsOf(on)))
}

/**
 * Returns the outgoing transactions with a missing transfer that an operator must decide about, the oldest
 * first. Decisions without a valid MAC do not count.
 */
export async function listUndecided(
  on: Queryable,
): Promise<readonly (Unmoved & { readonly network: string })[]> {
  const rows = await on.query<UnmovedRow & { network: string }>(sql`
    select outgoing_transaction_id, block_hash, missing_transfer.tx_hash, detail, outcome, outcome_mac, network
    from missing_transfer join outgoing_transaction on outgoing_transaction.id = outgoing_transaction_id
    where outgoing_transaction.state = 'included' and outgoing_transaction.included_block_hash = block_hash
    order by found_at, outgoing_transaction_id limit 1000`)
  return rows
    .map((row) => ({ ...toUnmoved(row, on.macs), network: row.network }))
    .filter(({ outcome }) => outcome === undefined)
}

/** An operator's decision as it is stored; its MAC is not verified yet. */
export type StoredOutcome = DecidedOutcome & { readonly mac: string }

/**
 * Returns at most `rowsMax` stored decisions with keys above `after`, in the order of their keys. The key of
 * a decision is `<outgoing transaction id> <block hash>`.
 */
export function readDecided(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly StoredOutcome[]> {
  return on.query<StoredOutcome>(sql`
    select outgoing_transaction_id as "outgoingTransactionId", block_hash as "blockHash", tx_hash as "txHash", outcome,
      coalesce(outcome_mac, '') as mac
    from missing_transfer
    where outcome is not null and outgoing_transaction_id || ' ' || block_hash > ${after}
    order by outgoing_transaction_id || ' ' || block_hash limit ${rowsMax}`)
}

export async function insertUnmoved(tx: Tx, unmoved: readonly FoundUnmoved[]): Promise<void> {
  await tx.query(sql`
    insert into missing_transfer (outgoing_transaction_id, block_hash, tx_hash, detail)
    select * from unnest(
      ${unmoved.map(({ outgoingTransactionId }) => outgoingTransactionId)}::uuid[], ${unmoved.map(({ blockHash }) => blockHash)}::text[],
      ${unmoved.map(({ txHash }) => txHash)}::text[], ${unmoved.map(({ detail }) => detail)}::text[])
    on conflict do nothing`)
}

/**
 * Stores an operator's decision about an outgoing transaction with a missing transfer, with its MAC.
 * @returns whether the transaction lacks a transfer in its current block and was not decided before
 */
export async function decideUnmoved(
  tx: Tx,
  outgoingTransactionId: string,
  { outcome, reason }: { readonly outcome: UnmovedOutcome; readonly reason: string },
): Promise<boolean> {
  const row = await one<UnmovedRow>(
    tx,
    sql`select outgoing_transaction_id, block_hash, missing_transfer.tx_hash, detail, outcome, outcome_mac
        from missing_transfer join outgoing_transaction on outgoing_transaction.id = outgoing_transaction_id
        where outgoing_transaction_id = ${outgoingTransactionId} and outgoing_transaction.state = 'included' and outgoing_transaction.included_block_hash = block_hash
        for no key update of missing_transfer`,
  )
  if (row === undefined || toUnmoved(row, macsOf(tx)).outcome !== undefined) return false
  const decided = { outgoingTransactionId, blockHash: row.block_hash, txHash: row.tx_hash, outcome }
  await tx.query(sql`
    update missing_transfer
    set outcome = ${outcome}, outcome_mac = ${outcomeMac(macsOf(tx), decided)}, reason = ${reason}, decided_at = coffer_now()
    where outgoing_transaction_id = ${outgoingTransactionId} and block_hash = ${row.block_hash}`)
  return true
}

/**
 * @param macs verify the MAC of a decision. They are undefined in a command that has no key of the books.
 * Such a command only lists decisions, so it accepts them without verification.
 */
function toUnmoved(row: UnmovedRow, macs: BooksMacs | undefined): Unmoved {
  const { outcome, outcome_mac: mac } = row
  const found = {
    outgoingTransactionId: row.outgoing_transaction_id,
    blockHash: row.block_hash,
    txHash: row.tx_hash,
    detail: row.detail,
  }
  const isGenuine =
    outcome !== null && (macs === undefined || hasOutcomeMac(macs, { ...found, outcome }, mac ?? ''))
  return {
    ...found,
    outcome: isGenuine ? outcome : undefined,
    isForged: outcome !== null && !isGenuine,
  }
}
