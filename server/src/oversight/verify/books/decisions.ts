/** What operators decided of money has its entry in the audit log. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * Without an entry is what a source of capital paid, and what came to a merchant while it was deleted: that is its own again
 * once it is restored.
 */
const attributionsAreAudited = sqlInvariant({
  id: 'M23-attributions',
  title: 'each attribution of money was made by somebody, to whom the audit log says',
  unit: 'attributions',
  examined: sql`select count(*) as examined from attribution`,
  breaches: () => sql`
    select format('transaction %s is attributed to %s, and nobody said so',
      transaction.id, coalesce('merchant ' || attribution.merchant_id, 'the operator')) as finding
    from attribution
    join transaction on transaction.id = attribution.transaction_id
    where not exists (
      select from audit_entry
      where action = 'treasury.attributed' and subject = transaction.id::text
        and audit_entry.merchant_id is not distinct from attribution.merchant_id)
    and not (attribution.merchant_id is null and exists (
      select from capital_source source
      where source.network = transaction.network and source.address = transaction.sender))
    and not (attribution.merchant_id = transaction.merchant_id and exists (
      select from audit_entry
      where action = 'merchant.restored' and audit_entry.merchant_id = attribution.merchant_id))`,
})

const settledPayoutsAreAudited = sqlInvariant({
  id: 'M23-unmoved',
  title: 'each decision on a payout that moved nothing was made by somebody, as the audit log says',
  unit: 'payouts without a transfer',
  examined: sql`select count(*) as examined from payout_without_transfer`,
  breaches: () => sql`
    select format('payout %s is said to be %s, and nobody said so', payout_id, outcome) as finding
    from payout_without_transfer
    where outcome is not null and not exists (
      select from audit_entry
      where action = 'payouts.settled_' || outcome and subject = payout_id::text)`,
})

/** A halt is told as it is put; `payouts.resumed` names an asset, or the cause of a halt of everything. */
const haltedAssetsAreHalted = sqlInvariant({
  id: 'M23-halts',
  title: 'each asset that was halted is halted until somebody resumes it',
  unit: 'halts of assets',
  examined: sql`select count(*) as examined from audit_entry where action = 'payouts.asset_halted'`,
  breaches: () => sql`
    with last as (
      select distinct on (subject) subject as asset, action, happened_at
      from audit_entry where action in ('payouts.asset_halted', 'payouts.resumed')
      order by subject, id desc
    )
    select format('%s was halted at %s, is not any more, and nobody resumed it', asset, happened_at) as finding
    from last left join asset_halt using (asset)
    where action = 'payouts.asset_halted' and asset_halt.asset is null`,
})

export const decisionInvariants: readonly Invariant[] = [
  attributionsAreAudited,
  settledPayoutsAreAudited,
  haltedAssetsAreHalted,
]
