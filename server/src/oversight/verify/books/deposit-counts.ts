import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/**
 * Lists of deposits show totals that are computed from stored counts. If a count were wrong, merchants would
 * always see wrong totals.
 */
export const depositsAreCounted: Invariant = slicedInvariant({
  id: 'M16-deposits',
  title:
    'the stored counts of transactions, with the changes that are not aggregated yet, match the actual counts',
  unit: 'deposits',
  parts: [
    {
      over: 'merchants',
      tables: ['deposit', 'deposit_count', 'deposit_count_change'],
      since: 'none',
      examined: sql`select count(*) as examined from deposit where merchant_id is not null`,
      violations: () => sql`
        with shown as (
          select deposit.merchant_id, day_since_1970(deposit.created_at) as day, deposit.payment_method_id,
            deposit.state, count(*) as deposits
          from deposit join invoice on invoice.id = invoice_id
          where invoice.deleted_at is null
          group by 1, 2, 3, 4
        ), counted (merchant_id, counter, kept, actual) as (
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), deposits, 0
          from deposit_count
          union all
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), difference, 0
          from deposit_count_change
          cross join lateral (values ('day', day), ('days', floor(day / 32.0)::integer)) scales (scale, bucket)
          union all
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), 0, deposits
          from shown
          cross join lateral (values ('day', day), ('days', floor(day / 32.0)::integer)) scales (scale, bucket)
        )
        select format('merchant %s has %s deposits of %s, the stored count is %s',
          merchant_id, sum(actual), counter, sum(kept)) as finding
        from counted group by merchant_id, counter having sum(kept) <> sum(actual)`,
    },
  ],
})
