/**
 * Checks that every order and decision of a person about money, such as a withdrawal or a fee schedule, has
 * an entry in the audit log. Also checks that everything that these entries name exists.
 */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { methodTable, sqlInvariant } from '../sql-invariant.ts'

const entries = (action: string) => sql`
  select merchant_id, subject, details, happened_at from audit_entry where action = ${action}`

/**
 * A withdrawal that was restored from the signer's log may have no audit entry about its order. It must then
 * have an audit entry about its restoration.
 */
const ordersAreAudited = sqlInvariant({
  id: 'M23',
  title: 'each withdrawal is as the audit log says it was ordered, and no ordered withdrawal is missing',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  violations: (methods) => sql`
    with requested as (${entries('withdrawal.requested')}), stored as (
      select withdrawal.*, fee_minor / method.unit as fee
      from withdrawal join ${methodTable(methods)} on method.id = withdrawal.payment_method_id
    )
    select format('withdrawal %s is of %s with a fee of %s to %s for merchant %s; by the audit log it was ordered as %s with a fee of %s to %s for merchant %s',
      coalesce(stored.id::text, requested.subject), stored.amount, stored.fee, stored.address, stored.merchant_id,
      coalesce(requested.details ->> 'amount', 'nothing'), requested.details ->> 'fee', requested.details ->> 'address',
      requested.merchant_id) as finding
    from stored full join requested on requested.subject = stored.id::text
    where (stored.amount, stored.fee, stored.address, stored.merchant_id) is distinct from
        ((requested.details ->> 'amount')::numeric, (requested.details ->> 'fee')::numeric,
          requested.details ->> 'address', requested.merchant_id)
      and not (requested.subject is null and exists (
        select from audit_entry where action = 'withdrawal.retaken' and subject = stored.id::text))
    union all
    select format('withdrawal %s was approved, but no approval is recorded', id)
    from withdrawal
    where released_at is not null
      and not exists (select from audit_entry where action = 'withdrawal.released' and subject = withdrawal.id::text)`,
})

/**
 * Tolerance for comparing times that two database transactions wrote. Each time is the beginning of its
 * transaction, not the moment of the write. The later write can therefore have the earlier time; the
 * difference is at most this much.
 */
const overtaken = sql`interval '1 minute'`

/**
 * The 24-hour limits sum withdrawals by their time of approval. An approval time before the time of the order
 * is therefore forged. The time of the order is checked by comparing two tables.
 */
const ordersAreTimed = sqlInvariant({
  id: 'M23-times',
  title:
    'each withdrawal was ordered at the time in the audit log, and approved, planned and ended after that',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  violations: () => sql`
    with requested as (${entries('withdrawal.requested')})
    select format('withdrawal %s of %s: %s', withdrawal.id, created_at, error) as finding
    from withdrawal
    left join requested on requested.subject = withdrawal.id::text
    cross join lateral (values
      (created_at <> requested.happened_at, 'the audit log says that it was ordered at ' || requested.happened_at),
      (least(approved_at, released_at, planned_at, ended_at) < created_at - ${overtaken}, 'it was approved, planned or ended before that'),
      (planned_at < approved_at - ${overtaken}, 'it was planned before it was approved'),
      (approved_at is null and stage in ('approved', 'planned'), 'it was never approved')
    ) check_of (is_broken, error)
    where is_broken`,
})

/**
 * Compares each fee schedule with the last audit entry for the same merchant and payment method. The
 * `details` of an entry contain the schedule before and after the change. `flat_usd` is in units of 10^-8
 * USD.
 */
const schedulesAreAudited = sqlInvariant({
  id: 'M23-fees',
  title: 'each fee schedule is the last one that was set, and none is missing',
  unit: 'fee schedules',
  examined: sql`select count(*) as examined from fee_schedule`,
  violations: (methods) => sql`
    with last as (
      select distinct on (merchant_id, subject) merchant_id, subject, details -> 'after' as after
      from audit_entry where action in ('fee.set', 'fee.unset')
      order by merchant_id, subject, sequence desc
    ), stored as (
      select merchant_id, type || '/' || coalesce(payment_method_id::text, 'every method') as subject,
        percent_basis_points, coalesce(flat_usd / 1e8, flat_minor / method.unit) as flat
      from fee_schedule left join ${methodTable(methods)} on method.id = payment_method_id
    )
    select format('the fee %s of merchant %s is %s basis points and %s; by the audit log it was set to %s percent and %s',
      coalesce(stored.subject, last.subject), coalesce(stored.merchant_id, last.merchant_id)::text,
      stored.percent_basis_points, stored.flat, coalesce(after ->> 'percent', 'nothing'), after ->> 'flat') as finding
    from stored full join last
      on last.subject = stored.subject and last.merchant_id is not distinct from stored.merchant_id
    where percent_basis_points is distinct from ((after ->> 'percent')::numeric * 100)::integer
      or flat is distinct from (after ->> 'flat')::numeric`,
})

/**
 * Compares each minimum with the last audit entry for the same merchant and payment method. A minimum for all
 * methods is in units of 10^-8 USD. A minimum for one method is in the asset's smallest unit.
 */
const limitsAreAudited = sqlInvariant({
  id: 'M23-limits',
  title: 'each minimum is the last one that was set, and none is missing',
  unit: 'minimums',
  examined: sql`select count(*) as examined from limit_override`,
  violations: () => sql`
    with last as (
      select distinct on (merchant_id, subject) merchant_id, subject, details -> 'after' as after
      from audit_entry where action in ('limit.set', 'limit.unset')
      order by merchant_id, subject, sequence desc
    ), stored as (
      select merchant_id, type || '/' || coalesce(payment_method_id::text, 'every method') as subject,
        minimum_usd / 1e8 as usd, minimum_minor as minor
      from limit_override
    )
    select format('the minimum %s of merchant %s is %s; by the audit log it was set to %s',
      coalesce(stored.subject, last.subject), coalesce(stored.merchant_id, last.merchant_id)::text,
      coalesce(usd, minor), coalesce(after ->> 'usd', after ->> 'minor', 'nothing')) as finding
    from stored full join last
      on last.subject = stored.subject and last.merchant_id is not distinct from stored.merchant_id
    where usd is distinct from (after ->> 'usd')::numeric or minor is distinct from (after ->> 'minor')::numeric`,
})

const capitalSourcesAreAudited = sqlInvariant({
  id: 'M23-capital',
  title: 'each source of the operator’s capital was added by somebody',
  unit: 'sources of capital',
  examined: sql`select count(*) as examined from capital_source`,
  violations: () => sql`
    select format('payments from %s to hot wallets of %s count as the operator’s own, but no decision is recorded', address, network) as finding
    from capital_source source
    where not exists (
      select from audit_entry
      where action = 'treasury.capital_source_added' and subject = source.network || '/' || source.address)`,
})

export const auditInvariants: readonly Invariant[] = [
  ordersAreAudited,
  ordersAreTimed,
  schedulesAreAudited,
  limitsAreAudited,
  capitalSourcesAreAudited,
]
