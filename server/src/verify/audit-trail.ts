/** What people did to money has its entry in the audit log, and each such entry has what it tells of. */
import sql from 'sql-template-tag'
import type { Invariant } from './invariant.ts'
import { methodTable, sqlInvariant } from './sql-invariant.ts'

const entries = (action: string) => sql`
  select merchant_id, subject, details, happened_at from audit_entry where action = ${action}`

/** One that was restored from the log of the signer has an entry of that instead of the one that was lost. */
const ordersAreAudited = sqlInvariant({
  id: 'M23',
  title: 'each withdrawal is as the audit log says that it was ordered, and none that was ordered is gone',
  unit: 'withdrawals',
  examined: sql`select count(*) as examined from withdrawal`,
  breaches: () => sql`
    with requested as (${entries('withdrawal.requested')})
    select format('withdrawal %s is of %s to %s for merchant %s; by the audit log it was ordered as %s to %s for merchant %s',
      coalesce(withdrawal.id::text, requested.subject), withdrawal.amount, withdrawal.address, withdrawal.merchant_id,
      coalesce(requested.details ->> 'amount', 'nothing'), requested.details ->> 'address', requested.merchant_id) as finding
    from withdrawal full join requested on requested.subject = withdrawal.id::text
    where (withdrawal.amount, withdrawal.address, withdrawal.merchant_id) is distinct from
        ((requested.details ->> 'amount')::numeric, requested.details ->> 'address', requested.merchant_id)
      and not (requested.subject is null and exists (
        select from audit_entry where action = 'withdrawal.retaken' and subject = withdrawal.id::text))
    union all
    select format('withdrawal %s was let go, and nobody is known to have done so', id)
    from withdrawal
    where released_at is not null
      and not exists (select from audit_entry where action = 'withdrawal.released' and subject = withdrawal.id::text)`,
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
  schedulesAreAudited,
  capitalSourcesAreAudited,
]
