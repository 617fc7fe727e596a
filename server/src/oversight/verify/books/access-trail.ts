/**
 * Compares access rights and webhook addresses with the audit log: they must be those that were set last. The
 * last entry is the one with the highest sequence. An act first locks what it changes and then inserts its
 * entry, so the sequences of the entries about one subject are in the order of the acts. Other columns are not
 * in that order: an id has the time of a process, and an entry has the time at which its transaction began.
 */
import sql from 'sql-template-tag'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneScan } from '../scan.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * The account that creates a merchant becomes its first owner, without an entry in the audit log. Every other
 * member has an entry.
 */
const membersAreAudited = sqlInvariant({
  id: 'M23-members',
  title: 'each member of a merchant was added in the role that it has, except the creator of the merchant',
  unit: 'members',
  examined: sql`select count(*) as examined from member`,
  violations: () => sql`
    with recorded as (
      select merchant_id, subject, (array_agg(action order by sequence desc))[1] as action,
        (array_agg(coalesce(details ->> 'after', details ->> 'role') order by sequence desc))[1] as role,
        bool_or(action = 'member.added') as was_added
      from audit_entry where action in ('member.added', 'member.changed', 'member.removed')
      group by merchant_id, subject
    ), known as (
      select coalesce(member.merchant_id, recorded.merchant_id) as merchant_id, coalesce(account_id::text, subject) as account_id,
        member.role, recorded.role as recorded_role, action, coalesce(was_added, false) as was_added
      from member full join recorded on recorded.merchant_id = member.merchant_id and recorded.subject = member.account_id::text
    )
    select format('account %s is %s of merchant %s; by the audit log it is %s', account_id, role, merchant_id,
      case action when 'member.removed' then 'none' else recorded_role end) as finding
    from known
    where role is not null and action is not null and (action = 'member.removed' or role <> recorded_role)
    union all
    select format('merchant %s has the members %s, of whom only one can have created it', merchant_id,
      string_agg(account_id, ', ' order by account_id))
    from known where not was_added
    group by merchant_id having count(*) > 1`,
})

const operatorsAreAudited = sqlInvariant({
  id: 'M23-operators',
  title: 'each operator became one when its account was created',
  unit: 'operators',
  examined: sql`select count(*) as examined from account where is_operator`,
  violations: () => sql`
    select format('account %s is an operator, but did not become one when it was created', id) as finding
    from account
    where is_operator and not exists (
      select from audit_entry
      where action = 'account.created' and subject = account.id::text and details @> '{"isOperator": true}')`,
})

/**
 * The audit log contains the first 8 bytes of each key's hash. These bytes identify the key and are not
 * secret.
 */
const keysAreAudited = sqlInvariant({
  id: 'M23-keys',
  title: 'each API key is the last one that was generated',
  unit: 'API keys',
  examined: sql`select count(*) as examined from api_key`,
  violations: () => sql`
    with last as (
      select distinct on (merchant_id) merchant_id, action, details ->> 'fingerprint' as fingerprint
      from audit_entry where action in ('api_key.generated', 'api_key.revoked')
      order by merchant_id, sequence desc
    )
    select format('the API key of merchant %s begins with %s; by the audit log it is %s', api_key.merchant_id,
      encode(substring(key_hash for 8), 'hex'), coalesce(fingerprint, 'none')) as finding
    from api_key left join last using (merchant_id)
    where (action = 'api_key.generated' and encode(substring(key_hash for 8), 'hex') = fingerprint) is not true`,
})

const addressListsAreAudited = sqlInvariant({
  id: 'M23-lists',
  title: 'each IP list of API keys is the last one that its merchant set',
  unit: 'merchants',
  examined: sql`select count(*) as examined from merchant`,
  violations: () => sql`
    with last as (
      select distinct on (merchant_id) merchant_id,
        case action when 'merchant.ip_list_set' then details -> 'ipAddresses' end as addresses
      from audit_entry where action in ('merchant.ip_list_set', 'merchant.ip_list_removed')
      order by merchant_id, sequence desc
    )
    select format('the API key of merchant %s is accepted from %s; by the audit log from %s', merchant.id,
      to_jsonb(ip_whitelist), coalesce(addresses, '[]')) as finding
    from merchant left join last on last.merchant_id = merchant.id
    where to_jsonb(ip_whitelist) <> coalesce(addresses, '[]')`,
})

interface EndpointRow {
  readonly merchantId: string
  readonly url: string
  readonly recorded: string | null
}

/**
 * Only the origins of URLs are compared. The audit log has no paths, because paths often contain credentials.
 */
const webhooksAreAudited: Invariant = inOneScan({
  id: 'M23-webhooks',
  title: 'each webhook has the server that its merchant set',
  unit: 'webhooks',
  check: async ({ on }) => {
    const rows = await on.query<EndpointRow>(sql`
      select endpoint.merchant_id as "merchantId", url, entry.details ->> 'origin' as recorded
      from webhook_endpoint endpoint
      left join audit_entry entry on entry.action = 'webhook.set' and entry.subject = endpoint.token
        and entry.merchant_id = endpoint.merchant_id`)
    const findings = rows.flatMap(({ merchantId, url, recorded }) => {
      const origin = URL.canParse(url) ? new URL(url).origin : 'nowhere'
      if (origin === recorded) return []
      return [
        `the webhook of merchant ${merchantId} is sent to ${origin}; by the audit log to ${recorded ?? 'none'}`,
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
