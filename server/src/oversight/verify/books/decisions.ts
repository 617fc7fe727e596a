/** Checks that operators' decisions about money have their entries in the audit log. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * An operator attributes money to anybody, and a merchant credits itself a payment to one of its invoices on the
 * wrong network. Two kinds of attributions have no audit entry of their own. The first is money from a source that is
 * registered as the operator's capital. The second is money that came in for a deleted merchant: when the
 * merchant is restored, this money becomes the merchant's.
 */
const attributionsAreAudited = sqlInvariant({
  id: 'M23-attributions',
  title: 'each attribution of money was made by somebody, and to the owner in the audit log',
  unit: 'attributions',
  examined: sql`select count(*) as examined from attribution`,
  violations: () => sql`
    select format('transaction %s is attributed to %s, but no decision is recorded',
      deposit.id, coalesce('merchant ' || attribution.merchant_id, 'the operator')) as finding
    from attribution
    join deposit on deposit.id = attribution.deposit_id
    where not exists (
      select from audit_entry
      where action = 'treasury.attributed' and subject = deposit.id::text
        and audit_entry.merchant_id is not distinct from attribution.merchant_id)
    and not (attribution.merchant_id = deposit.merchant_id and exists (
      select from audit_entry
      where action = 'transaction.credited' and subject = deposit.id::text
        and audit_entry.merchant_id = attribution.merchant_id))
    and not (attribution.merchant_id is null and exists (
      select from capital_source source
      where source.network = deposit.network and source.address = deposit.sender))
    and not (attribution.merchant_id = deposit.merchant_id and exists (
      select from audit_entry
      where action = 'merchant.restored' and audit_entry.merchant_id = attribution.merchant_id))`,
})

const settledOutgoingTransactionsAreAudited = sqlInvariant({
  id: 'M23-unmoved',
  title:
    'each decision on an outgoing transaction that moved nothing was made by somebody, as in the audit log',
  unit: 'transactions without a transfer',
  examined: sql`select count(*) as examined from missing_transfer`,
  violations: () => sql`
    select format('outgoing transaction %s is settled as %s, but no decision is recorded', outgoing_transaction_id, outcome) as finding
    from missing_transfer
    where outcome is not null and not exists (
      select from audit_entry
      where action = 'payouts.settled_' || outcome and subject = outgoing_transaction_id::text)`,
})

/**
 * The halt of an asset and its audit entry are written together. The subject of an audit entry
 * `payouts.resumed` is an asset, or the cause of a halt of all assets.
 */
const haltedAssetsAreHalted = sqlInvariant({
  id: 'M23-halts',
  title: 'each halted asset stays halted until somebody resumes it',
  unit: 'asset halts',
  examined: sql`select count(*) as examined from audit_entry where action = 'payouts.asset_halted'`,
  violations: () => sql`
    with last as (
      select distinct on (subject) subject as asset, action, happened_at
      from audit_entry where action in ('payouts.asset_halted', 'payouts.resumed')
      order by subject, sequence desc
    )
    select format('%s was halted at %s and is no longer halted, but nobody resumed it', asset, happened_at) as finding
    from last left join asset_halt using (asset)
    where action = 'payouts.asset_halted' and asset_halt.asset is null`,
})

export const decisionInvariants: readonly Invariant[] = [
  attributionsAreAudited,
  settledOutgoingTransactionsAreAudited,
  haltedAssetsAreHalted,
]
