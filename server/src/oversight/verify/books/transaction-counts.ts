import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/** Lists take their totals from these counts, so a count that is off shows merchants wrong totals for ever. */
export const transactionsAreCounted: Invariant = slicedInvariant({
  id: 'M16-transactions',
  title: 'the kept counts of transactions, with the changes not folded in yet, are what counting them gives',
  unit: 'transactions',
  parts: [
    {
      over: 'merchants',
      tables: ['transaction', 'transaction_count', 'transaction_count_change'],
      since: 'none',
      examined: sql`select count(*) as examined from transaction where merchant_id is not null`,
      breaches: () => sql`
        with shown as (
          select transaction.merchant_id, day_since_1970(transaction.created_at) as day, transaction.payment_method_id,
            transaction.state, count(*) as transactions
          from transaction join invoice on invoice.id = invoice_id
          where invoice.deleted_at is null
          group by 1, 2, 3, 4
        ), counted (merchant_id, counter, kept, actual) as (
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), transactions, 0
          from transaction_count
          union all
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), difference, 0
          from transaction_count_change
          cross join lateral (values ('day', day), ('days', floor(day / 32.0)::integer)) scales (scale, bucket)
          union all
          select merchant_id, jsonb_build_array(scale, bucket, payment_method_id, state), 0, transactions
          from shown
          cross join lateral (values ('day', day), ('days', floor(day / 32.0)::integer)) scales (scale, bucket)
        )
        select format('merchant %s has %s transactions of %s, counted were %s',
          merchant_id, sum(actual), counter, sum(kept)) as finding
        from counted group by merchant_id, counter having sum(kept) <> sum(actual)`,
    },
  ],
})
