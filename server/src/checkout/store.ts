import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Coming } from './coming.ts'

/** A payment to an invoice with the heights of its network's cursor. */
export interface ArrivalRow {
  readonly txHash: string
  readonly network: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly inclusion: number
  readonly blockHeight: number | null
  readonly tipHeight: number | null
  readonly finalHeight: number | null
  readonly isGone: boolean
  readonly isRecent: boolean
}

const isGone = sql`(replaced_by is not null or coalesce(
  unseen_since < now() - ${limits.checkoutGoneMinutes} * interval '1 minute', false))`

/** The newest payments to an invoice, newest first. */
export async function readArrivals(on: Queryable, invoiceId: string): Promise<readonly ArrivalRow[]> {
  const rows = await on.query<Omit<ArrivalRow, 'amountMinor'> & { readonly amountMinor: string }>(
    named(
      'checkout-arrivals',
      sql`
      select tx_hash as "txHash", network, payment_method_id as "paymentMethodId", amount_minor as "amountMinor",
        state, inclusion, block_height as "blockHeight", chain_cursor.height as "tipHeight", final_height as "finalHeight",
        ${isGone} as "isGone",
        created_at > now() - interval '1 hour' as "isRecent"
      from transaction left join chain_cursor using (network)
      where invoice_id = ${invoiceId}
      order by created_at desc, transaction.id desc limit ${limits.checkoutArrivals}`,
    ),
  )
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }))
}

/** What waits for its block and counts for the invoice, all of it: anyone may send any number of payments. */
export async function readComing(on: Queryable, invoiceId: string): Promise<readonly Coming[]> {
  type Stored = Omit<Coming, 'amountMinor' | 'fullMinor'>
  const rows = await on.query<Stored & { readonly amountMinor: string; readonly fullMinor: string }>(
    named(
      'checkout-coming',
      sql`
      select transaction.payment_method_id as "paymentMethodId", sum(amount_minor) as "amountMinor",
        full_minor as "fullMinor", min(in_time_at) as "inTimeAt"
      from transaction join invoice on invoice.id = invoice_id
      where invoice_id = ${invoiceId} and transaction.state = 'pending' and block_height is null and full_minor is not null
        and not ${isGone}
      group by transaction.payment_method_id, full_minor, in_time_at < least(expires_at, closed_at)
      order by transaction.payment_method_id, full_minor, min(in_time_at)`,
    ),
  )
  return rows.map(({ amountMinor, fullMinor, ...row }) => ({
    ...row,
    amountMinor: BigInt(amountMinor),
    fullMinor: BigInt(fullMinor),
  }))
}

export async function readMerchantName(on: Queryable, merchantId: string): Promise<string> {
  const row = await one<{ name: string }>(
    on,
    named('checkout-merchant', sql`select name from merchant where id = ${merchantId}`),
  )
  return row?.name ?? ''
}

/**
 * A mark of each invoice: another one as soon as its page would show anything else, be it by time alone. None of an
 * invoice that is deleted. Of many payments the newest are looked at, as the page does.
 */
export async function readMarks(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ id: string; mark: string }>(
    named(
      'checkout-marks',
      sql`
      select invoice.id, concat_ws('|', invoice.state, exceptions, paid_periods, closed_at, claimed_at,
        coalesce(now() >= expires_at, false), quoted.mark, paid.mark, payout.mark) as mark
      from invoice join merchant on merchant.id = merchant_id
      left join lateral (
        select string_agg(concat(last.id, expires_at > now()), ' ' order by last.id) as mark
        from unnest(payment_method_ids) method (id) cross join lateral (
          select quote.id, expires_at from quote
          where invoice_id = invoice.id and payment_method_id = method.id
          order by quoted_at desc, quote.id desc limit 1
        ) last
      ) quoted on true
      left join lateral (
        select concat_ws(' ', count(*), count(block_height), count(unseen_since), count(replaced_by),
          count(*) filter (where ${isGone}), sum(inclusion), sum(failures), sum(amount_minor), count(*) filter (where newest.state = 'confirmed'),
          sum(height) filter (where newest.state = 'pending' and block_height is not null)) as mark
        from (
          select * from transaction where invoice_id = invoice.id
          order by created_at desc, transaction.id desc limit ${limits.transactionsShown}
        ) newest left join chain_cursor using (network)
      ) paid on true
      left join lateral (
        select concat_ws(' ', withdrawal.state, tx_hash) as mark from withdrawal
        where invoice_id = invoice.id and withdrawal.state in ('pending', 'completed') limit 1
      ) payout on true
      where invoice.id = any(${[...invoiceIds]}::uuid[]) and invoice.deleted_at is null and merchant.deleted_at is null`,
    ),
  )
  return new Map(rows.map(({ id, mark }) => [id, mark]))
}
