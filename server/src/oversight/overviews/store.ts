/**
 * Reads the sums that are stored for each day, and the changes that these sums do not include yet. One
 * statement reads both, in one snapshot, so the result is exact.
 */
import sql from 'sql-template-tag'
import type { Aggregate } from '../../platform/db/aggregate.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type DayOfInvoices, type DayOfMethod, type DayRange, dayText } from './overview.ts'

/** Sums the confirmed payments of a merchant by UTC day and payment method. */
export async function sumPayments(
  on: Queryable,
  merchantId: string,
  { from, to }: DayRange,
): Promise<readonly DayOfMethod[]> {
  const rows = await on.query<{
    day: string
    paymentMethodId: number
    payments: number
    amountMinor: string
    worth: string
    unpriced: number
  }>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, payment_method_id as "paymentMethodId",
      sum(payments)::bigint as payments, sum(amount_minor)::text as "amountMinor", sum(worth)::text as worth,
      sum(unpriced)::bigint as unpriced
    from (
      select day, payment_method_id, payments, amount_minor, worth, unpriced from payment_day_sum
      where merchant_id = ${merchantId} and day between ${dayText(from)}::date and ${dayText(to)}::date
      union all
      select day, payment_method_id, payments, amount_minor, worth, unpriced from payment_day_change
      where merchant_id = ${merchantId} and day between ${dayText(from)}::date and ${dayText(to)}::date
    ) summed
    group by summed.day, payment_method_id having sum(payments) > 0`)
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor), worth: BigInt(row.worth) }))
}

/**
 * Counts a merchant's invoices by the UTC day of their creation. `withdraw` invoices are not counted, because
 * they pay money out.
 */
export function countInvoices(
  on: Queryable,
  merchantId: string,
  { from, to }: DayRange,
): Promise<readonly DayOfInvoices[]> {
  return on.query<DayOfInvoices>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, sum(invoices)::bigint as created,
      coalesce(sum(invoices) filter (where state = 'paid'), 0)::bigint as paid,
      coalesce(sum(invoices) filter (where state = 'expired'), 0)::bigint as expired
    from (
      select day, state, invoices from invoice_outcome_count
      where merchant_id = ${merchantId} and day between ${dayText(from)}::date and ${dayText(to)}::date
      union all
      select (created_at at time zone 'UTC')::date, state, difference from invoice_count_change
      where merchant_id = ${merchantId} and type <> 'withdraw'
        and created_at >= ${from} and created_at < ${to}::timestamptz + interval '24 hours'
    ) counted
    group by counted.day having sum(invoices) > 0`)
}

export const paymentDays: Aggregate = {
  name: 'aggregate-payment-days',
  changes: 'payment_day_change',
  lock: 0x64617973, // "days" in ASCII
  sums: sql`
    days as (
      insert into payment_day_sum as kept
      select merchant_id, day, payment_method_id, sum(payments), sum(amount_minor), sum(worth), sum(unpriced)
      from taken group by 1, 2, 3
      on conflict (merchant_id, day, payment_method_id) do update
      set payments = kept.payments + excluded.payments, amount_minor = kept.amount_minor + excluded.amount_minor,
        worth = kept.worth + excluded.worth, unpriced = kept.unpriced + excluded.unpriced
    )`,
}
