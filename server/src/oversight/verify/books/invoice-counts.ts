import sql, { type Sql } from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/**
 * Returns a query for wrong counts.
 * @param counter the columns of the table `counted` that identify a count
 */
function miscounted(counter: Sql): Sql {
  return sql`
    select format('merchant %s has %s invoices of %s, the stored count is %s',
      merchant_id, sum(actual), jsonb_build_array(${counter}), sum(kept)) as finding
    from counted group by merchant_id, ${counter} having sum(kept) <> sum(actual)`
}

/**
 * Lists of invoices show totals that are computed from stored counts. If a count were wrong, merchants would
 * always see wrong totals.
 */
export const invoicesAreCounted: Invariant = slicedInvariant({
  id: 'M16-counts',
  title:
    'the stored counts of invoices, with the changes that are not aggregated yet, match the actual counts',
  unit: 'invoices',
  parts: [
    {
      over: 'merchants',
      tables: ['invoice', 'invoice_facet_count', 'invoice_count_change'],
      since: 'none',
      examined: sql`select count(*) as examined from invoice where deleted_at is null`,
      violations: () => sql`
        with counted as (
          select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived,
            invoices as kept, 0::bigint as actual
          from invoice_facet_count
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
      violations: () => sql`
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
          -- The scales are computed for groups of equal values, at a fraction of the cost of computing them
          -- for each invoice.
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
      violations: () => sql`
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
