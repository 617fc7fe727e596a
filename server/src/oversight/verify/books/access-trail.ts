/**
 * Who may act for whom, and where merchants are told of it, is what the audit log says was set last. Ids of entries are in the
 * order in which they were written; times are those at which transactions began, and one that began first may write last.
 */
import sql from 'sql-template-tag'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneLook } from '../look.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/** Whoever makes a merchant is its first owner without an entry; all others were added. */
const membersAreAudited = sqlInvariant({
  id: 'M23-members',
  title: 'each member of a merchant was added in the role that it has, but for the one who made the merchant',
  unit: 'members',
  examined: sql`select count(*) as examined from member`,
  breaches: () => sql`
    with told as (
      select merchant_id, subject, (array_agg(action order by id desc))[1] as action,
        (array_agg(coalesce(details ->> 'after', details ->> 'role') order by id desc))[1] as role,
        bool_or(action = 'member.added') as was_added
      from audit_entry where action in ('member.added', 'member.changed', 'member.removed')
      group by merchant_id, subject
    ), known as (
      select coalesce(member.merchant_id, told.merchant_id) as merchant_id, coalesce(account_id::text, subject) as account_id,
        member.role, told.role as told_role, action, coalesce(was_added, false) as was_added
      from member full join told on told.merchant_id = member.merchant_id and told.subject = member.account_id::text
    )
    select format('account %s is %s of merchant %s; by the audit log it is %s', account_id, role, merchant_id,
      case action when 'member.removed' then 'none' else told_role end) as finding
    from known
    where role is not null and action is not null and (action = 'member.removed' or role <> told_role)
    union all
    select format('merchant %s has the members %s, of whom only one can have made it', merchant_id,
      string_agg(account_id, ', ' order by account_id))
    from known where not was_added
    group by merchant_id having count(*) > 1`,
})

const operatorsAreAudited = sqlInvariant({
  id: 'M23-operators',
  title: 'each operator was made one with its account',
  unit: 'operators',
  examined: sql`select count(*) as examined from account where is_operator`,
  breaches: () => sql`
    select format('account %s is an operator, and was not made one', id) as finding
    from account
    where is_operator and not exists (
      select from audit_entry
      where action = 'account.created' and subject = account.id::text and details @> '{"isOperator": true}')`,
})

/** The hash of a key is no secret, and its first bytes tell it from any other. */
const keysAreAudited = sqlInvariant({
  id: 'M23-keys',
  title: 'each API key is the one that was generated last',
  unit: 'API keys',
  examined: sql`select count(*) as examined from api_key`,
  breaches: () => sql`
    with last as (
      select distinct on (merchant_id) merchant_id, action, details ->> 'fingerprint' as fingerprint
      from audit_entry where action in ('api_key.generated', 'api_key.revoked')
      order by merchant_id, id desc
    )
    select format('the API key of merchant %s begins with %s; by the audit log it is %s', api_key.merchant_id,
      encode(substring(key_hash for 8), 'hex'), coalesce(fingerprint, 'none')) as finding
    from api_key left join last using (merchant_id)
    where (action = 'api_key.generated' and encode(substring(key_hash for 8), 'hex') = fingerprint) is not true`,
})

const addressListsAreAudited = sqlInvariant({
  id: 'M23-lists',
  title: 'API keys are taken from where their merchants said last',
  unit: 'merchants',
  examined: sql`select count(*) as examined from merchant`,
  breaches: () => sql`
    with last as (
      select distinct on (merchant_id) merchant_id,
        case action when 'merchant.ip_list_set' then details -> 'ipAddresses' end as addresses
      from audit_entry where action in ('merchant.ip_list_set', 'merchant.ip_list_removed')
      order by merchant_id, id desc
    )
    select format('the API key of merchant %s is taken from %s; by the audit log from %s', merchant.id,
      to_jsonb(ip_whitelist), coalesce(addresses, '[]')) as finding
    from merchant left join last on last.merchant_id = merchant.id
    where to_jsonb(ip_whitelist) <> coalesce(addresses, '[]')`,
})

interface EndpointRow {
  readonly merchantId: string
  readonly url: string
  readonly told: string | null
}

/** Of a URL the audit log keeps the origin alone, since paths often hold credentials. */
const webhooksAreAudited: Invariant = inOneLook({
  id: 'M23-webhooks',
  title: 'each webhook leads to the server that its merchant named',
  unit: 'webhooks',
  check: async ({ on }) => {
    const rows = await on.query<EndpointRow>(sql`
      select endpoint.merchant_id as "merchantId", url, entry.details ->> 'origin' as told
      from webhook_endpoint endpoint
      left join audit_entry entry on entry.action = 'webhook.set' and entry.subject = endpoint.token
        and entry.merchant_id = endpoint.merchant_id`)
    const findings = rows.flatMap(({ merchantId, url, told }) => {
      const origin = URL.canParse(url) ? new URL(url).origin : 'nowhere'
      if (origin === told) return []
      return [
        `the webhook of merchant ${merchantId} leads to ${origin}; by the audit log to ${told ?? 'nowhere'}`,
      ]
    })
    return { examined: rows.length, findings: findings.slice(0, findingsMax) }
  },
})

export const accessInvariants: readonly Invariant[] = [
  membersAreAudited,
  operatorsAreAudited,
  keysAreAudited,
  addressListsAreAudited,
  webhooksAreAudited,
]
