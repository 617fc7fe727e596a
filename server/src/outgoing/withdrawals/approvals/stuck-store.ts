/** Credits that no chain takes back any more, and whose money still cannot leave. */
import sql, { type Sql } from 'sql-template-tag'
import { creditsOf } from './credits-store.ts'

export interface StuckScope {
  readonly network: string
  readonly assets: readonly string[]
  /** Whether money lies in outputs; else on addresses that are swept. */
  readonly hasOutpoints: boolean
}

/**
 * What merchants got by deposits that lie where nobody can take them from at present, by merchant and asset. It covers none of
 * their orders, which other merchants' money would pay for. What payouts have not proven is not among it: that counts elsewhere.
 * Stands in a statement that has `purse`, the merchants it is about.
 */
export function stuckCredits(scope: StuckScope): Sql {
  return sql`
    with stuck as (${scope.hasOutpoints ? stuckOutputs(scope) : stuckOnAddresses(scope)}
    )
    ${creditsOf(sql`stuck`)}`
}

/**
 * On an address that is not swept: something whose sender did not pass screening lies on it, what lies on it could not be taken
 * before, or is not worth its fee. What could not be taken counts until it was, also while it is tried again.
 */
function stuckOnAddresses({ network, assets }: StuckScope): Sql {
  return sql`
    with lying as (
      select id, inclusion, merchant_id, asset, address_id, net_minor, proven_inclusion, sweep_id,
        sum(amount_minor) over (partition by address_id, asset) as address_minor
      from transaction
      where network = ${network} and asset = any(${[...assets]}) and sweep_id is null and state = 'confirmed'
        and address_id is not null and (merchant_id is null or merchant_id in (select merchant_id from purse))
      union all
      select deposit.id, inclusion, merchant_id, asset, address_id, net_minor, proven_inclusion, sweep_id, null
      from sweep join transaction deposit on deposit.sweep_id = sweep.id
      where sweep.network = ${network} and sweep.state not in ('done', 'dropped') and deposit.asset = any(${[...assets]})
    )
    select lying.* from lying
    left join spend_floor on spend_floor.network = ${network} and spend_floor.asset = lying.asset
    where proven_inclusion = inclusion and (
      address_minor < spend_floor.floor_minor
      or exists (
        select from sweep_setback setback
        where setback.address_id = lying.address_id and setback.asset = lying.asset)
      or (sweep_id is null and exists (
        select from transaction suspect
        where suspect.address_id = lying.address_id and suspect.aml_verdict <> 'passed'
          and suspect.quarantine is distinct from 'released' and suspect.quarantine is distinct from 'seized'
          and suspect.block_height is not null
          and not exists (select from attribution where transaction_id = suspect.id))))`
}

/** In outputs that cost more to spend than half of what they hold. */
function stuckOutputs({ network }: StuckScope): Sql {
  return sql`
    select deposit.id, deposit.inclusion, deposit.merchant_id, deposit.asset, deposit.net_minor
    from spend_floor floor
    join coin on coin.network = floor.network and coin.amount_minor < floor.floor_minor and coin.spent_by is null
    join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
    where floor.network = ${network} and deposit.state = 'confirmed'
      and deposit.proven_inclusion = deposit.inclusion
      and not exists (
        select from payout_input input where input.network = coin.network and input.outpoint = coin.outpoint)`
}
