import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** False where the merchant has no such invoice. */
export async function archive(on: Queryable, merchantId: string, id: string): Promise<boolean> {
  const rows = await on.query(sql`
    update invoice set archived_at = coalesce(archived_at, now())
    where id = ${id} and merchant_id = ${merchantId} and deleted_at is null returning id`)
  return rows.length === 1
}

/**
 * Whether a payment is on its way: in a block and not confirmed, or in none, and seen there or in a mempool within the last
 * 72 hours. To be asked under the invoice's lock, which whoever books its payments takes first.
 */
export async function hasPaymentUnderWay(tx: Tx, id: string): Promise<boolean> {
  const row = await one<{ found: boolean }>(
    tx,
    sql`select exists (
      select from transaction where invoice_id = ${id} and state = 'pending'
        and (block_height is not null or coalesce(unseen_since, now()) > now() - interval '72 hours')) as found`,
  )
  return row?.found === true
}

/** Leaves a tombstone: what books its late payments stays, what its merchant wrote goes. */
export async function bury(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update invoice set deleted_at = now(), description = null, reference = null, redirect_url = null
    where id = ${id}`)
}

/**
 * Closes an invoice now, but after every payment it has in a block: the clock of a block's producer may be ahead of
 * the database's.
 */
export async function close(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update invoice set closed_at = greatest(now(), (
      select max(in_time_at) + interval '1 millisecond' from transaction
      where invoice_id = ${id} and block_height is not null))
    where id = ${id}`)
}

export async function accept(tx: Tx, id: string, transactionIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update invoice set accepted_at = now(), accepted_ids = ${[...transactionIds]} where id = ${id}`)
}
