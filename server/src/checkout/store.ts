/** Reads payments for the payment page, and the versions by which pages detect changes. */
import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Coming } from './coming.ts'

/** A payment to an invoice, with the heights of the network's newest block and last final block. */
export interface CheckoutPaymentRow {
  readonly txHash: string
  readonly network: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly fullMinor: bigint | undefined
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly inclusion: number
  readonly blockHeight: number | null
  readonly tipHeight: number | null
  readonly finalHeight: number | null
  readonly isGone: boolean
  readonly isRecent: boolean
}

const isGone = sql`(replaced_by is not null or coalesce(
  unseen_since < coffer_now() - ${limits.checkoutGoneMinutes} * interval '1 minute', false))`

/** Returns the newest payments to an invoice, newest first. */
export async function readCheckoutPayments(
  on: Queryable,
  invoiceId: string,
): Promise<readonly CheckoutPaymentRow[]> {
  type Stored = Omit<CheckoutPaymentRow, 'amountMinor' | 'fullMinor'>
  const rows = await on.query<Stored & { readonly amountMinor: string; readonly fullMinor: string | null }>(
    named(
      'checkout-payments',
      sql`
      select tx_hash as "txHash", network, payment_method_id as "paymentMethodId", amount_minor as "amountMinor",
        full_minor as "fullMinor", state, inclusion, block_height as "blockHeight", chain_cursor.height as "tipHeight", final_height as "finalHeight",
        ${isGone} as "isGone",
        created_at > coffer_now() - interval '1 hour' as "isRecent"
      from deposit left join chain_cursor using (network)
      where invoice_id = ${invoiceId}
      order by created_at desc, deposit.id desc limit ${limits.checkoutPayments}`,
    ),
  )
  return rows.map((row) => ({
    ...row,
    amountMinor: BigInt(row.amountMinor),
    fullMinor: row.fullMinor === null ? undefined : BigInt(row.fullMinor),
  }))
}

/**
 * Returns the sums of the payments that are not in a block yet and count towards the invoice. All these
 * payments are summed and not only the newest, because anyone may send any number of payments.
 */
export async function readComing(on: Queryable, invoiceId: string): Promise<readonly Coming[]> {
  type Stored = Omit<Coming, 'amountMinor' | 'fullMinor'>
  const rows = await on.query<Stored & { readonly amountMinor: string; readonly fullMinor: string }>(
    named(
      'checkout-coming',
      sql`
      select deposit.payment_method_id as "paymentMethodId", sum(amount_minor) as "amountMinor",
        full_minor as "fullMinor", min(in_time_at) as "inTimeAt"
      from deposit join invoice on invoice.id = invoice_id
      where invoice_id = ${invoiceId} and deposit.state = 'pending' and block_height is null and full_minor is not null
        and not ${isGone}
      group by deposit.payment_method_id, full_minor, in_time_at < least(expires_at, closed_at)
      order by deposit.payment_method_id, full_minor, min(in_time_at)`,
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
 * Returns a version for each invoice that is not deleted. The version changes when the content of the
 * invoice's page changes, for example because a price has expired. Only the newest payments are considered,
 * because the page lists only these.
 */
export async function readVersions(
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ id: string; version: string }>(
    named(
      'checkout-versions',
      sql`
      select invoice.id, concat_ws('|', invoice.state, exceptions, paid_periods, closed_at, claimed_at,
        coalesce(coffer_now() >= expires_at, false), quoted.version, paid.version, payout.version) as version
      from invoice join merchant on merchant.id = merchant_id
      left join lateral (
        select string_agg(concat(last.id, expires_at > coffer_now()), ' ' order by last.id) as version
        from unnest(payment_method_ids) method (id) cross join lateral (
          select quote.id, expires_at from quote
          where invoice_id = invoice.id and payment_method_id = method.id
          order by quoted_at desc, quote.id desc limit 1
        ) last
      ) quoted on true
      left join lateral (
        select concat_ws(' ', count(*), count(block_height), count(unseen_since), count(replaced_by),
          count(*) filter (where ${isGone}), sum(inclusion), sum(failures), sum(amount_minor), count(*) filter (where newest.state = 'confirmed'),
          sum(height) filter (where newest.state = 'pending' and block_height is not null)) as version
        from (
          select * from deposit where invoice_id = invoice.id
          order by created_at desc, deposit.id desc limit ${limits.depositsShown}
        ) newest left join chain_cursor using (network)
      ) paid on true
      left join lateral (
        select concat_ws(' ', withdrawal.state, tx_hash) as version from withdrawal
        where invoice_id = invoice.id and withdrawal.state in ('pending', 'completed') limit 1
      ) payout on true
      where invoice.id = any(${[...invoiceIds]}::uuid[]) and invoice.deleted_at is null and merchant.deleted_at is null`,
    ),
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}
