import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/**
 * The overview of a merchant adds up stored daily sums. If one of them were wrong, the overview would always
 * show a wrong volume.
 */
export const paymentDaysAreSummed: Invariant = slicedInvariant({
  id: 'M16-days',
  title:
    'the stored sums of payments by day, with the changes that are not aggregated yet, match the actual sums',
  unit: 'payments',
  parts: [
    {
      over: 'merchants',
      tables: ['deposit', 'payment_day_sum', 'payment_day_change'],
      since: 'none',
      examined: sql`select count(*) as examined from deposit where state = 'confirmed' and merchant_id is not null`,
      violations: () => sql`
    with summed (merchant_id, day, payment_method_id, payments, amount_minor, worth, unpriced) as (
      select * from payment_day_sum
      union all
      select * from payment_day_change
      union all
      select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, -1, -amount_minor,
        -amount_minor * coalesce(price, 0), case when price is null then -1 else 0 end
      from deposit
      where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    )
    select format('the sums of merchant %s in payment method %s on %s are off by %s payments, %s of the smallest unit',
      merchant_id, payment_method_id, day, sum(payments), sum(amount_minor)) as finding
    from summed group by merchant_id, payment_method_id, day
    having sum(payments) <> 0 or sum(amount_minor) <> 0 or sum(worth) <> 0 or sum(unpriced) <> 0`,
    },
  ],
})
