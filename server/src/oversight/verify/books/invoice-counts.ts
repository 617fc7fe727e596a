import sql, { type Sql } from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/** @param counter what is counted apart: columns of `counted` */
function miscounted(counter: Sql): Sql {
  return sql`
    select format('merchant %s has %s invoices of %s, counted were %s',
      merchant_id, sum(actual), jsonb_build_array(${counter}), sum(kept)) as finding
    from counted group by merchant_id, ${counter} having sum(kept) <> sum(actual)`
}

/** Lists take their totals from these counts, so a count that is off shows merchants wrong totals for ever. */
export const invoicesAreCounted: Invariant = slicedInvariant({
  id: 'M16-counts',
  title: 'the kept counts of invoices, with the changes not folded in yet, are what counting them gives',
  unit: 'invoices',
  parts: [
    {
      over: 'merchants',
      tables: ['invoice', 'invoice_cell_count', 'invoice_count_change'],
      since: 'none',
      examined: sql`select count(*) as examined from invoice where deleted_at is null`,
      breaches: () => sql`
        with counted as (
          select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived,
            invoices as kept, 0::bigint as actual
          from invoice_cell_count
          union all
          select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived, difference, 0
          from invoice_count_change
          union all
          select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
            archived_at is not null, 0, count(*)
          from invoice where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7
        )
        ${miscounted(sql`payment_method_ids, type, state, aml_ok, collect_state, is_archived`)}`,
    },
    {
      over: 'merchants',
      tables: ['invoice', 'invoice_range_count', 'invoice_count_change'],
      since: 'none',
      breaches: () => sql`
        with days as (
          select merchant_id, floor(extract(epoch from created_at) / 86400)::integer as day,
            archived_at is not null as is_archived, count(*) as invoices
          from invoice where deleted_at is null group by 1, 2, 3
        ), amounts as (
          select merchant_id, amount_usd, archived_at is not null as is_archived, count(*) as invoices
          from invoice where deleted_at is null group by 1, 2, 3
        ), counted as (
          select merchant_id, scale, bucket, is_archived, invoices as kept, 0::bigint as actual from invoice_range_count
          union all
          select merchant_id, scale, bucket, is_archived, difference, 0
          from invoice_count_change cross join lateral invoice_scales(created_at, amount_usd)
          union all
          -- The scales are taken of what is alike, which costs a fraction of taking them of each invoice.
          select merchant_id, scale, bucket, is_archived, 0, invoices
          from days cross join lateral invoice_scales(to_timestamp(day * 86400::bigint), 1)
          where scale in ('day', 'days')
          union all
          select merchant_id, scale, bucket, is_archived, 0, invoices
          from amounts cross join lateral invoice_scales('epoch', amount_usd)
          where scale in ('amount', 'amounts')
        )
        ${miscounted(sql`scale, bucket, is_archived`)}`,
    },
    {
      over: 'merchants',
      tables: ['invoice', 'invoice_outcome_count', 'invoice_count_change'],
      since: 'none',
      breaches: () => sql`
        with counted as (
          select merchant_id, 'outcome' as scale, day, state, invoices as kept, 0::bigint as actual
          from invoice_outcome_count
          union all
          select merchant_id, 'outcome', (created_at at time zone 'UTC')::date, state, difference, 0
          from invoice_count_change where type <> 'withdraw'
          union all
          select merchant_id, 'outcome', (created_at at time zone 'UTC')::date, state, 0, count(*)
          from invoice where deleted_at is null and type <> 'withdraw' group by 1, 2, 3, 4
        )
        ${miscounted(sql`scale, day, state`)}`,
    },
  ],
})
