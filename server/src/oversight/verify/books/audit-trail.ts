/** What people did to money has its entry in the audit log, and each such entry has what it tells of. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { methodTable, sqlInvariant } from '../sql-invariant.ts'

const entries = (action: string) => sql`
  select merchant_id, subject, details, happened_at from audit_entry where action = ${action}`

/** One that was restored from the log of the signer has an entry of that instead of the one that was lost. */
const ordersAreAudited = sqlInvariant({
  id: 'M23',
  title: 'each withdrawal is as the audit log says that it was ordered, and none that was ordered is gone',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  breaches: (methods) => sql`
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
    select format('withdrawal %s was let go, and nobody is known to have done so', id)
    from withdrawal
    where released_at is not null
      and not exists (select from audit_entry where action = 'withdrawal.released' and subject = withdrawal.id::text)`,
})

/** A transaction that began before another may write after it: so long at most before the other's time. */
const overtaken = sql`interval '1 minute'`

/** Sums of 24 hours count orders by when they were approved: none was before it was ordered, which two places tell. */
const ordersAreTimed = sqlInvariant({
  id: 'M23-times',
  title: 'each withdrawal was ordered when the audit log says, and approved, planned and ended after that',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  breaches: () => sql`
    with requested as (${entries('withdrawal.requested')})
    select format('withdrawal %s of %s: %s', withdrawal.id, created_at, fault) as finding
    from withdrawal
    left join requested on requested.subject = withdrawal.id::text
    cross join lateral (values
      (created_at <> requested.happened_at, 'the audit log says that it was ordered at ' || requested.happened_at),
      (least(approved_at, released_at, planned_at, ended_at) < created_at - ${overtaken}, 'it was approved, planned or ended before that'),
      (planned_at < approved_at - ${overtaken}, 'it was planned before it was approved'),
      (approved_at is null and stage in ('approved', 'planned'), 'it was never approved')
    ) check_of (is_broken, fault)
    where is_broken`,
})

/** Of each target the last entry counts; `details` have the schedule before and after. flat_usd counts 10^-8 USD. */
const schedulesAreAudited = sqlInvariant({
  id: 'M23-fees',
  title: 'each fee schedule is the one that was set last, and none that was set is gone',
  unit: 'fee schedules',
  examined: sql`select count(*) as examined from fee_schedule`,
  breaches: (methods) => sql`
    with last as (
      select distinct on (merchant_id, subject) merchant_id, subject, details -> 'after' as after
      from audit_entry where action in ('fee.set', 'fee.unset')
      order by merchant_id, subject, happened_at desc, id desc
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

/** As for schedules. A figure is in 10^-8 USD for all methods, and in the smallest unit for one. */
const limitsAreAudited = sqlInvariant({
  id: 'M23-limits',
  title: 'each minimum is the one that was set last, and none that was set is gone',
  unit: 'minimums',
  examined: sql`select count(*) as examined from limit_override`,
  breaches: () => sql`
    with last as (
      select distinct on (merchant_id, subject) merchant_id, subject, details -> 'after' as after
      from audit_entry where action in ('limit.set', 'limit.unset')
      order by merchant_id, subject, id desc
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
  title: 'each source of the operator’s capital was named by somebody',
  unit: 'sources of capital',
  examined: sql`select count(*) as examined from capital_source`,
  breaches: () => sql`
    select format('what %s pays to hot wallets of %s is the operator’s own, and nobody said so', address, network) as finding
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
