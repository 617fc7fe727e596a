/** Payouts that were mined with success in a final block and did not move what they were to move. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

/** What an operator says of one: paid completes what was ordered, unpaid fails it and releases its hold. */
export type UnmovedOutcome = 'paid' | 'unpaid'

export interface Unmoved {
  readonly payoutId: string
  readonly blockHash: string
  readonly txHash: string
  readonly detail: string
  /** Undefined until it is decided. */
  readonly outcome: UnmovedOutcome | undefined
}

interface UnmovedRow {
  readonly payout_id: string
  readonly block_hash: string
  readonly tx_hash: string
  readonly detail: string
  readonly outcome: UnmovedOutcome | null
}

/** Those of some payouts, in whatever blocks they were seen. */
export async function readUnmoved(on: Queryable, payoutIds: readonly string[]): Promise<readonly Unmoved[]> {
  if (payoutIds.length === 0) return []
  const rows = await on.query<UnmovedRow>(sql`
    select payout_id, block_hash, tx_hash, detail, outcome from payout_without_transfer
    where payout_id = any(${[...payoutIds]}::uuid[])`)
  return rows.map(toUnmoved)
}

/** Those that an operator has to decide, the oldest first. */
export async function listUndecided(
  on: Queryable,
): Promise<readonly (Unmoved & { readonly network: string })[]> {
  const rows = await on.query<UnmovedRow & { network: string }>(sql`
    select payout_id, block_hash, payout_without_transfer.tx_hash, detail, outcome, network
    from payout_without_transfer join payout on payout.id = payout_id
    where outcome is null and payout.state = 'included' and payout.included_block_hash = block_hash
    order by found_at, payout_id limit 1000`)
  return rows.map((row) => ({ ...toUnmoved(row), network: row.network }))
}

export async function insertUnmoved(tx: Tx, unmoved: readonly Omit<Unmoved, 'outcome'>[]): Promise<void> {
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
  const row = await one(
    tx,
    sql`update payout_without_transfer set outcome = ${outcome}, reason = ${reason}, decided_at = now()
        from payout
        where payout_id = ${payoutId} and payout.id = payout_id and outcome is null
          and payout.state = 'included' and payout.included_block_hash = block_hash
        returning payout_id`,
  )
  return row !== undefined
}

function toUnmoved(row: UnmovedRow): Unmoved {
  return {
    payoutId: row.payout_id,
    blockHash: row.block_hash,
    txHash: row.tx_hash,
    detail: row.detail,
    outcome: row.outcome ?? undefined,
  }
}
