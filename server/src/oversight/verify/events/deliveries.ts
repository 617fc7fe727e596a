/**
 * Checks that the delivery of every event ends: it succeeds, is abandoned after the last attempt, or is
 * cancelled.
 */
import sql from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant } from '../sql-invariant.ts'

/**
 * Upper bound of the time by which a delivery is postponed, either by the retry schedule or while a
 * dispatcher works on it. A due time further in the future is therefore an error, and the delivery would not
 * be sent.
 */
const putOff = sql`interval '2 days'`

/**
 * The state of a delivery must match its attempts. Deliveries are deleted long after they ended, but events
 * are kept. An event without a delivery is therefore a violation only if the event is recent.
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
      violations: () => sql`
    with tried as (
      select delivery_id, count(*) as attempts, max(number) as last,
        max(number) filter (where status between 200 and 299) as taken
      from delivery_attempt group by delivery_id
    )
    select format('delivery %s of event %s is %s after %s attempts: %s', delivery.id, event_id, state,
      delivery.attempts, error) as finding
    from delivery
    left join tried on tried.delivery_id = delivery.id
    left join event on event.id = event_id
    cross join lateral (values
      (state not in ('pending', 'delivered', 'exhausted', 'cancelled'), 'it is neither due nor over'),
      ((state = 'pending') <> (ended_at is null), 'its end time does not match'),
      (state <> 'pending' and claimed_until is not null, 'it has ended but is claimed'),
      (state = 'pending' and greatest(next_attempt_at, claimed_until) > coffer_now() + ${putOff}, 'its next attempt is too late'),
      (delivery.attempts not between 0 and ${limits.deliveryAttempts}, 'it was tried too often'),
      (state = 'exhausted' and delivery.attempts < ${limits.deliveryAttempts}, 'it was abandoned too early'),
      (state = 'pending' and delivery.attempts >= ${limits.deliveryAttempts}, 'it should have been abandoned'),
      (coalesce(tried.attempts, 0) <> delivery.attempts or coalesce(last, 0) <> delivery.attempts,
        'its attempts do not match'),
      (state = 'delivered' and taken is distinct from delivery.attempts, 'nobody accepted it'),
      (event.merchant_id is distinct from delivery.merchant_id, 'its event does not exist, or belongs to another merchant')
    ) check_of (is_broken, error)
    where is_broken`,
    },
    {
      over: 'events',
      tables: ['event'],
      since: 'newer',
      violations: () => sql`
    select format('event %s (%s) of merchant %s has no delivery', id, subject, merchant_id) as finding
    from event
    where created_at > coffer_now() - ${limits.deliveriesKeptDays} * interval '1 day' + interval '1 hour'
      and not exists (select from delivery where event_id = event.id)`,
    },
  ],
})
