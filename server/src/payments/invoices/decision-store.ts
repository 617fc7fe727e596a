import sql, { type Sql } from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Archives an invoice. Returns false if the merchant has no such invoice. */
export async function archive(on: Queryable, merchantId: string, id: string): Promise<boolean> {
  const rows = await on.query(sql`
    update invoice set archived_at = coalesce(archived_at, coffer_now())
    where id = ${id} and merchant_id = ${merchantId} and deleted_at is null returning id`)
  return rows.length === 1
}

/**
 * Returns whether an invoice has a payment that may still be confirmed. Such a payment is pending. It is in a
 * block, or it was in a block or a mempool within the last 72 hours. The caller must hold the invoice's lock,
 * because processes that book payments of the invoice take the same lock.
 */
export async function hasPaymentUnderWay(tx: Tx, id: string): Promise<boolean> {
  const row = await one<{ found: boolean }>(
    tx,
    sql`select exists (
      select from deposit where invoice_id = ${id} and state = 'pending'
        and (block_height is not null or coalesce(unseen_since, coffer_now()) > coffer_now() - interval '72 hours')) as found`,
  )
  return row?.found === true
}

/**
 * Turns an invoice into a tombstone, and ends it as `close` does. Removes the merchant's texts and keeps the
 * fields that are needed to book late payments.
 */
export async function bury(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update invoice set deleted_at = ${endNow(id)}, description = null, reference = null, redirect_url = null
    where id = ${id}`)
}

export async function close(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update invoice set closed_at = ${endNow(id)} where id = ${id}`)
}

/**
 * SQL: the time at which an invoice ends if its merchant closes or deletes it now. Usually this is the current
 * time. If a payment in a block has a later time, because block times may be ahead of the database's clock,
 * the invoice ends just after that payment.
 */
function endNow(id: string): Sql {
  return sql`greatest(coffer_now(), (
    select max(in_time_at) + interval '1 millisecond' from deposit
    where invoice_id = ${id} and block_height is not null))`
}

export async function accept(tx: Tx, id: string, depositIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update invoice set accepted_at = coffer_now(), accepted_ids = ${[...depositIds]} where id = ${id}`)
}
