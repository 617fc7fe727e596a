/** Checks that each sweep moved the deposits that are marked as swept by it. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * A sweep empties whole addresses, so its amount must be the sum of the deposits that are marked as swept by
 * it. The amount of a `direct_sweep` may be smaller: there the address pays the network fee itself, and keeps
 * native coin for it. Coin that a sweep took before it was booked is found by balance in the sweep's own block. It is
 * no part of the sweep's amount.
 */
export const merchantSweepsAreTheirDeposits: Invariant = sqlInvariant({
  id: 'M24',
  title: 'each completed sweep moved the deposits that are marked as swept by it',
  unit: 'sweeps',
  examined: sql`select count(*) as examined from merchant_sweep where state = 'completed'`,
  violations: () => sql`
    with brought as (
      select merchant_sweep.id, merchant_sweep.asset, merchant_sweep.amount_minor, merchant_sweep.amount, merchant_sweep.transactions,
        sweep.kind, count(deposit.id) as deposits, coalesce(sum(deposit.amount_minor), 0) as deposited
      from merchant_sweep
      join sweep on sweep.id = merchant_sweep.sweep_id
      left join deposit on deposit.sweep_id = sweep.id and deposit.merchant_id = merchant_sweep.merchant_id
        and deposit.asset = merchant_sweep.asset
        and not (deposit.transfer_key like 'balance:%' and deposit.block_height = sweep.block_height)
      where merchant_sweep.state = 'completed' and sweep.state = 'done'
      group by merchant_sweep.id, sweep.id
    )
    select format('sweep %s moved %s of %s from %s deposits; marked as swept by it are %s deposits of %s',
      id, amount_minor, asset, transactions, deposits, deposited) as finding
    from brought
    where transactions <> deposits or kind <> 'direct_sweep' and amount_minor <> deposited
      or kind = 'direct_sweep' and amount_minor > deposited
    union all
    select format('deposit %s is marked as swept by %s, which %s', deposit.id, deposit.sweep_id,
      case when sweep.id is null then 'does not exist' when sweep.state = 'dropped' then 'was abandoned'
        else 'did not sweep its address' end)
    from deposit deposit
    left join sweep on sweep.id = deposit.sweep_id
    where deposit.sweep_id is not null
      and (sweep.id is null or sweep.state = 'dropped' or not exists (
        select from swept_address where swept_address.sweep_id = sweep.id and swept_address.address_id = deposit.address_id))`,
})
