import sql from 'sql-template-tag'
import type { Queryable } from '../db/pool.ts'
import type { DayOfInvoices, DayOfMethod, DayRange } from './overview.ts'

/** Days are those of UTC; along the index of the merchant's confirmed payments. */
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
    select to_char(confirmed_at at time zone 'UTC', 'YYYY-MM-DD') as day, payment_method_id as "paymentMethodId",
      count(*) as payments, sum(amount_minor)::text as "amountMinor",
      coalesce(sum(amount_minor * price), 0)::text as worth, count(*) filter (where price is null) as unpriced
    from transaction
    where merchant_id = ${merchantId} and state = 'confirmed'
      and confirmed_at >= ${from} and confirmed_at < ${to}::timestamptz + interval '24 hours'
      and (quarantine is null or quarantine = 'released')
    group by 1, 2`)
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor), worth: BigInt(row.worth) }))
}

/** Of what payers are asked for: claims of `withdraw` invoices are paid out. */
export function countInvoices(
  on: Queryable,
  merchantId: string,
  { from, to }: DayRange,
): Promise<readonly DayOfInvoices[]> {
  return on.query<DayOfInvoices>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as created,
      count(*) filter (where state = 'paid') as paid, count(*) filter (where state = 'expired') as expired
    from invoice
    where merchant_id = ${merchantId} and deleted_at is null and type <> 'withdraw'
      and created_at >= ${from} and created_at < ${to}::timestamptz + interval '24 hours'
    group by 1`)
}
