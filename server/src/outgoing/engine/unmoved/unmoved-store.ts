/** Payouts that were mined with success in a final block and did not move what they were to move. */
import sql from 'sql-template-tag'
import type { BooksMacs } from '../../../core/books-macs.ts'
import { macsOf, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type DecidedOutcome, hasOutcomeMac, outcomeMac, type UnmovedOutcome } from './outcome-mac.ts'

export interface Unmoved {
  readonly payoutId: string
  readonly blockHash: string
  readonly txHash: string
  readonly detail: string
  /**
   * What an operator said: paid completes what was ordered, unpaid fails it and releases its hold. Undefined until it is
   * decided, and where what the database says carries no MAC of ours.
   */
  readonly outcome: UnmovedOutcome | undefined
  /** Whether the database says what no process of ours wrote. */
  readonly isForged: boolean
}

/** One as it is found, before anybody decides. */
export type FoundUnmoved = Pick<Unmoved, 'payoutId' | 'blockHash' | 'txHash' | 'detail'>

interface UnmovedRow {
  readonly payout_id: string
  readonly block_hash: string
  readonly tx_hash: string
  readonly detail: string
  readonly outcome: UnmovedOutcome | null
  readonly outcome_mac: string | null
}

/** Those of some payouts, in whatever blocks they were seen. */
export async function readUnmoved(on: Queryable, payoutIds: readonly string[]): Promise<readonly Unmoved[]> {
  if (payoutIds.length === 0) return []
  const rows = await on.query<UnmovedRow>(sql`
    select payout_id, block_hash, tx_hash, detail, outcome, outcome_mac from payout_without_transfer
    where payout_id = any(${[...payoutIds]}::uuid[])`)
  return rows.map((row) => toUnmoved(row, macsOf(on)))
}

/** Those that an operator has to decide, the oldest first; among them those that were decided by a forger. */
export async function listUndecided(
  on: Queryable,
): Promise<readonly (Unmoved & { readonly network: string })[]> {
  const rows = await on.query<UnmovedRow & { network: string }>(sql`
    select payout_id, block_hash, payout_without_transfer.tx_hash, detail, outcome, outcome_mac, network
    from payout_without_transfer join payout on payout.id = payout_id
    where payout.state = 'included' and payout.included_block_hash = block_hash
    order by found_at, payout_id limit 1000`)
  return rows
    .map((row) => ({ ...toUnmoved(row, on.macs), network: row.network }))
    .filter(({ outcome }) => outcome === undefined)
}

/** A decision as it is stored, be it an operator's or a forger's. */
export type StoredOutcome = DecidedOutcome & { readonly mac: string }

/** The next decisions after `<payout id> <block hash>`, in that order. */
export function readDecided(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly StoredOutcome[]> {
  return on.query<StoredOutcome>(sql`
    select payout_id as "payoutId", block_hash as "blockHash", tx_hash as "txHash", outcome,
      coalesce(outcome_mac, '') as mac
    from payout_without_transfer
    where outcome is not null and payout_id || ' ' || block_hash > ${after}
    order by payout_id || ' ' || block_hash limit ${rowsMax}`)
}

export async function insertUnmoved(tx: Tx, unmoved: readonly FoundUnmoved[]): Promise<void> {
  await tx.query(sql`
    insert into payout_without_transfer (payout_id, block_hash, tx_hash, detail)
    select * from unnest(
      ${unmoved.map(({ payoutId }) => payoutId)}::uuid[], ${unmoved.map(({ blockHash }) => blockHash)}::text[],
      ${unmoved.map(({ txHash }) => txHash)}::text[], ${unmoved.map(({ detail }) => detail)}::text[])
    on conflict do nothing`)
}

/** @returns whether there was such a one, in the block that holds it now and not decided before */
export async function decideUnmoved(
  tx: Tx,
  payoutId: string,
  { outcome, reason }: { readonly outcome: UnmovedOutcome; readonly reason: string },
): Promise<boolean> {
  const row = await one<UnmovedRow>(
    tx,
    sql`select payout_id, block_hash, payout_without_transfer.tx_hash, detail, outcome, outcome_mac
        from payout_without_transfer join payout on payout.id = payout_id
        where payout_id = ${payoutId} and payout.state = 'included' and payout.included_block_hash = block_hash
        for no key update of payout_without_transfer`,
  )
  if (row === undefined || toUnmoved(row, macsOf(tx)).outcome !== undefined) return false
  const decided = { payoutId, blockHash: row.block_hash, txHash: row.tx_hash, outcome }
  await tx.query(sql`
    update payout_without_transfer
    set outcome = ${outcome}, outcome_mac = ${outcomeMac(macsOf(tx), decided)}, reason = ${reason}, decided_at = now()
    where payout_id = ${payoutId} and block_hash = ${row.block_hash}`)
  return true
}

/** @param macs undefined where a command has no key of the books: what is decided is believed then, as it is only listed */
function toUnmoved(row: UnmovedRow, macs: BooksMacs | undefined): Unmoved {
  const { outcome, outcome_mac: mac } = row
  const found = {
    payoutId: row.payout_id,
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
