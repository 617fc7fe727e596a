/**
 * Selects proven credits that can no longer be reversed on chain, but whose money cannot be moved at present.
 */
import sql, { type Sql } from 'sql-template-tag'
import { creditsOf } from './credits-store.ts'

export interface StuckScope {
  readonly network: string
  readonly assets: readonly string[]
  /**
   * Whether the network is a UTXO chain. On other networks, deposits stay on their addresses until they are
   * swept.
   */
  readonly hasOutpoints: boolean
}

/**
 * Returns SQL that sums, by merchant and asset, the credits for deposits whose money nobody can move at
 * present. Such credits cover no order of their merchant, because other merchants' money would pay for the
 * order. Deposits that the role `payouts` has not proven are not included, because `unprovenCredits` counts
 * them. The surrounding statement must define a table `purse` with the merchants.
 */
export function stuckCredits(scope: StuckScope): Sql {
  return sql`
    with stuck as (${scope.hasOutpoints ? stuckOutputs(scope) : stuckOnAddresses(scope)}
    )
    ${creditsOf(sql`stuck`)}`
}

/**
 * Selects deposits that stay on their address for one of three reasons: the address holds a deposit whose
 * sender did not pass screening, an earlier sweep failed, or the amount is not worth the fee of a sweep.
 * After a failed sweep, a deposit counts as stuck until a sweep succeeds, even while the sweep is retried.
 */
function stuckOnAddresses({ network, assets }: StuckScope): Sql {
  return sql`
    with lying as (
      select id, inclusion, merchant_id, asset, address_id, net_minor, proven_inclusion, sweep_id,
        sum(amount_minor) over (partition by address_id, asset) as address_minor
      from deposit
      where network = ${network} and asset = any(${[...assets]}) and sweep_id is null and state = 'confirmed'
        and address_id is not null and (merchant_id is null or merchant_id in (select merchant_id from purse))
      union all
      select deposit.id, inclusion, merchant_id, asset, address_id, net_minor, proven_inclusion, sweep_id, null
      from sweep join deposit on deposit.sweep_id = sweep.id
      where sweep.network = ${network} and sweep.state not in ('done', 'dropped') and deposit.asset = any(${[...assets]})
    )
    select lying.* from lying
    left join spend_floor on spend_floor.network = ${network} and spend_floor.asset = lying.asset
    where proven_inclusion = inclusion and (
      address_minor < spend_floor.floor_minor
      or exists (
        select from sweep_retry retry_entry
        where retry_entry.address_id = lying.address_id and retry_entry.asset = lying.asset)
      or (sweep_id is null and exists (
        select from deposit suspect
        where suspect.address_id = lying.address_id and suspect.network = ${network}
          and suspect.aml_verdict <> 'passed'
          and suspect.quarantine is distinct from 'released' and suspect.quarantine is distinct from 'seized'
          and suspect.block_height is not null
          and not exists (select from attribution where deposit_id = suspect.id))))`
}

/**
 * Selects deposits whose output is not worth spending: the fee for spending it is more than half of its
 * amount.
 */
function stuckOutputs({ network }: StuckScope): Sql {
  return sql`
    select deposit.id, deposit.inclusion, deposit.merchant_id, deposit.asset, deposit.net_minor
    from spend_floor floor
    join own_output on own_output.network = floor.network and own_output.amount_minor < floor.floor_minor and own_output.spent_by is null
    join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
    where floor.network = ${network} and deposit.state = 'confirmed'
      and deposit.proven_inclusion = deposit.inclusion
      and not exists (
        select from outgoing_transaction_input input where input.network = own_output.network and input.outpoint = own_output.outpoint)`
}
