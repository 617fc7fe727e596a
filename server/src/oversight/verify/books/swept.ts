/** What sweeps brought in is what was taken from the addresses of deposits. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * A sweep empties whole addresses: what it took of a merchant in an asset is at least what its deposits come to, and more
 * where somebody sent what is no deposit. An address that sends by itself keeps what pays for that.
 */
export const collectionsAreTheirDeposits: Invariant = sqlInvariant({
  id: 'M24',
  title: 'each completed collection brought in the deposits that are marked as swept by it',
  unit: 'collections',
  examined: sql`select count(*) as examined from collection where state = 'completed'`,
  breaches: () => sql`
    with brought as (
      select collection.id, collection.asset, collection.amount_minor, collection.amount, collection.transactions,
        sweep.kind, count(deposit.id) as deposits, coalesce(sum(deposit.amount_minor), 0) as deposited
      from collection
      join sweep on sweep.id = collection.sweep_id
      left join transaction deposit on deposit.sweep_id = sweep.id and deposit.merchant_id = collection.merchant_id
        and deposit.asset = collection.asset
      where collection.state = 'completed' and sweep.state = 'done'
      group by collection.id, sweep.id
    )
    select format('collection %s brought in %s of %s from %s deposits; marked as swept by it are %s deposits of %s',
      id, amount_minor, asset, transactions, deposits, deposited) as finding
    from brought
    where transactions <> deposits or kind <> 'forward' and amount_minor <> deposited
      or kind = 'forward' and amount_minor > deposited
    union all
    select format('deposit %s is marked as swept by %s, which %s', deposit.id, deposit.sweep_id,
      case when sweep.id is null then 'is not there' when sweep.state = 'dropped' then 'was given up'
        else 'did not touch its address' end)
    from transaction deposit
    left join sweep on sweep.id = deposit.sweep_id
    where deposit.sweep_id is not null
      and (sweep.id is null or sweep.state = 'dropped' or not exists (
        select from swept_address where swept_address.sweep_id = sweep.id and swept_address.address_id = deposit.address_id))`,
})
