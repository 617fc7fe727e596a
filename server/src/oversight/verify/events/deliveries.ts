/** Every event is sent, given up or cancelled in the end. */
import sql from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/** The schedule never rests so long, nor does a claim: what is put off further would never be sent. */
const putOff = sql`interval '2 days'`

/**
 * What a delivery has come to fits its attempts. Deliveries that ended long ago are not kept; events are, so that one
 * without a delivery is a breach only while it is young.
 */
export const deliveriesEnd: Invariant = slicedInvariant({
  id: 'M14-sent',
  title: 'each event has a delivery that is due or has ended, after ten attempts at most',
  unit: 'deliveries',
  parts: [
    {
      over: 'deliveries',
      tables: ['delivery', 'delivery_attempt'],
      since: 'newer',
      examined: sql`select count(*) as examined from delivery`,
      breaches: () => sql`
    with tried as (
      select delivery_id, count(*) as attempts, max(number) as last,
        max(number) filter (where status between 200 and 299) as taken
      from delivery_attempt group by delivery_id
    )
    select format('delivery %s of event %s is %s after %s attempts: %s', delivery.id, event_id, state,
      delivery.attempts, fault) as finding
    from delivery
    left join tried on tried.delivery_id = delivery.id
    left join event on event.id = event_id
    cross join lateral (values
      (state not in ('pending', 'delivered', 'exhausted', 'cancelled'), 'it is neither due nor over'),
      ((state = 'pending') <> (ended_at is null), 'its end says otherwise'),
      (state <> 'pending' and claimed_until is not null, 'it is over and claimed'),
      (state = 'pending' and greatest(next_attempt_at, claimed_until) > now() + ${putOff}, 'it is put off for too long'),
      (delivery.attempts not between 0 and ${limits.deliveryAttempts}, 'it was tried too often'),
      (state = 'exhausted' and delivery.attempts < ${limits.deliveryAttempts}, 'it was given up too soon'),
      (state = 'pending' and delivery.attempts >= ${limits.deliveryAttempts}, 'it should have been given up'),
      (coalesce(tried.attempts, 0) <> delivery.attempts or coalesce(last, 0) <> delivery.attempts,
        'its attempts say otherwise'),
      (state = 'delivered' and taken is distinct from delivery.attempts, 'nobody took it'),
      (event.merchant_id is distinct from delivery.merchant_id, 'its event is not there, or of another merchant')
    ) check_of (is_broken, fault)
    where is_broken`,
    },
    {
      over: 'events',
      tables: ['event'],
      since: 'newer',
      breaches: () => sql`
    select format('event %s (%s) of merchant %s has no delivery', id, subject, merchant_id) as finding
    from event
    where created_at > now() - ${limits.deliveriesKeptDays} * interval '1 day' + interval '1 hour'
      and not exists (select from delivery where event_id = event.id)`,
    },
  ],
})
