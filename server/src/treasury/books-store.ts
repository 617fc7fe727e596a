import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import type { Queryable } from '../db/pool.ts'
import { platformBalances } from '../ledger/balance.ts'
import type { AccountName } from '../ledger/journal.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import type { AssetBooks, TakeOutSource } from './own-money.ts'

type Books = Pick<PaymentMethod, 'asset' | 'network' | 'contract'>

/** The books of these methods' assets, in their order. */
export async function readBooks(on: Queryable, methods: readonly Books[]): Promise<readonly AssetBooks[]> {
  const balances = new Map(
    (await platformBalances(on)).map((one) => [`${one.name} ${one.asset}`, one.balanceMinor]),
  )
  const restorable = await readRestorable(on)
  const takingOut = await readTakingOut(on)
  const openCosts = await readOpenCosts(on)
  return methods.map(({ asset, network, contract }) => {
    const of = (name: AccountName) => balances.get(`${name} ${asset}`) ?? 0n
    const taking = (source: TakeOutSource) => takingOut.get(`${source} ${asset}`) ?? 0n
    return {
      asset,
      custodyMinor: of('custody'),
      availableMinor: of('available'),
      heldMinor: of('held'),
      quarantineMinor: of('quarantine'),
      belowMinimumMinor: of('below_minimum'),
      unattributedMinor: of('unattributed'),
      capitalMinor: of('capital'),
      feesMinor: of('fees'),
      networkFeesMinor: of('network_fees'),
      forfeitedMinor: of('forfeited'),
      suspenseMinor: of('suspense'),
      restorableMinor: restorable.get(asset) ?? 0n,
      takingOutMinor: {
        capital: taking('capital'),
        fees: taking('fees'),
        forfeited: taking('forfeited'),
      },
      openCostMinor: contract === undefined ? (openCosts.get(network) ?? 0n) : 0n,
    }
  })
}

async function readRestorable(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ asset: string; amount: string }>(sql`
    with deleted as (
      select id, deleted_at > now() - ${limits.merchantRestoreDays} * interval '24 hours' as is_restorable
      from merchant where deleted_at is not null
    )
    select asset, sum(amount) as amount from (
      select asset, credits - debits as amount from ledger_account join deleted on deleted.id = owner_id
      where ledger_account.name = 'forfeited' and is_restorable
      union all
      select asset, amount_minor from transaction join deleted on deleted.id = merchant_id
      where quarantine = 'held' and not is_restorable
    ) claimed
    group by asset`)
  return new Map(rows.map(({ asset, amount }) => [asset, BigInt(amount)]))
}

async function readTakingOut(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ source: string; asset: string; amount: string }>(sql`
    select source, asset, sum(amount_minor) as amount from take_out where state = 'pending' group by source, asset`)
  return new Map(rows.map(({ source, asset, amount }) => [`${source} ${asset}`, BigInt(amount)]))
}

/** By network. */
async function readOpenCosts(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; amount: string }>(sql`
    select network, sum(coalesce(fee_minor, max_cost_minor)) as amount from payout
    where state not in ('final', 'displaced') group by network`)
  return new Map(rows.map(({ network, amount }) => [network, BigInt(amount)]))
}
