import sql from 'sql-template-tag'
import type { Invariant } from './invariant.ts'
import { sqlInvariant } from './sql-invariant.ts'

/** Lists take their totals from these counts, so a count that is off shows merchants wrong totals for ever. */
export const invoicesAreCounted: Invariant = sqlInvariant({
  id: 'M16-counts',
  title: 'the kept counts of invoices, with the changes not folded in yet, are what counting them gives',
  unit: 'invoices',
  examined: sql`select count(*) as examined from invoice where deleted_at is null`,
  breaches: () => sql`
    with invoices as (
      select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, '') as collect_state,
        archived_at is not null as is_archived, created_at, amount_usd
      from invoice where deleted_at is null
    ), counted (merchant_id, counter, kept, actual) as (
      select merchant_id, jsonb_build_array(payment_method_ids, type, state, aml_ok, collect_state, is_archived),
        invoices, 0
      from invoice_cell_count
      union all
      select merchant_id, jsonb_build_array(payment_method_ids, type, state, aml_ok, collect_state, is_archived),
        difference, 0
      from invoice_count_change
      union all
      select merchant_id, jsonb_build_array(payment_method_ids, type, state, aml_ok, collect_state, is_archived), 0, 1
      from invoices
      union all
      select merchant_id, jsonb_build_array(scale, bucket, is_archived), invoices, 0
      from invoice_range_count
      union all
      select merchant_id, jsonb_build_array(scale, bucket, is_archived), difference, 0
      from invoice_count_change cross join lateral invoice_scales(created_at, amount_usd)
      union all
      select merchant_id, jsonb_build_array(scale, bucket, is_archived), 0, 1
      from invoices cross join lateral invoice_scales(created_at, amount_usd)
      union all
      select merchant_id, jsonb_build_array('outcome', day, state), invoices, 0 from invoice_outcome_count
      union all
      select merchant_id, jsonb_build_array('outcome', (created_at at time zone 'UTC')::date, state), difference, 0
      from invoice_count_change where type <> 'withdraw'
      union all
      select merchant_id, jsonb_build_array('outcome', (created_at at time zone 'UTC')::date, state), 0, 1
      from invoices where type <> 'withdraw'
    )
    select format('merchant %s has %s invoices of %s, counted were %s',
      merchant_id, sum(actual), counter, sum(kept)) as finding
    from counted group by merchant_id, counter having sum(kept) <> sum(actual)`,
})
