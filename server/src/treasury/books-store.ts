import sql from 'sql-template-tag'
import { readCursor } from '../blocks/store.ts'
import { limits } from '../core/limits.ts'
import type { Queryable } from '../db/pool.ts'
import { platformBalances } from '../ledger/balance.ts'
import type { AccountName } from '../ledger/journal.ts'
import { finalHeightOf, type PaymentMethod, type PaymentMethods } from '../payment-methods/payment-method.ts'
import type { AssetBooks, TakeOutSource } from './own-money.ts'

/**
 * The books of some methods' assets, in their order.
 * @param methods all there are: they say which blocks of a network are final
 */
export async function readBooks(
  methods: PaymentMethods,
  on: Queryable,
  some: readonly PaymentMethod[],
): Promise<readonly AssetBooks[]> {
  const balances = new Map(
    (await platformBalances(on)).map((one) => [`${one.name} ${one.asset}`, one.balanceMinor]),
  )
  const restorable = await readRestorable(on)
  const takingOut = await readTakingOut(on)
  const openCosts = await readOpenCosts(on)
  const unfinalFees = await readUnfinalFees(methods, on, new Set(some.map(({ network }) => network)))
  return some.map(({ asset, network, contract }) => {
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
      unfinalFeesMinor: unfinalFees.get(asset) ?? 0n,
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

/** By asset, what was taken of deposits in blocks that may still go. */
async function readUnfinalFees(
  methods: PaymentMethods,
  on: Queryable,
  networks: ReadonlySet<string>,
): Promise<ReadonlyMap<string, bigint>> {
  const fees = new Map<string, bigint>()
  for (const network of networks) {
    const cursor = await readCursor(on, network)
    if (cursor === undefined) continue
    const rows = await on.query<{ asset: string; amount: string }>(sql`
      select asset, sum(fee_minor) as amount from transaction
      where network = ${network} and block_height > ${finalHeightOf(methods, network, cursor)}
        and state = 'confirmed' and fee_minor is not null
      group by asset`)
    for (const { asset, amount } of rows) fees.set(asset, BigInt(amount))
  }
  return fees
}

/** By network. */
async function readOpenCosts(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; amount: string }>(sql`
    select network, sum(coalesce(fee_minor, max_cost_minor)) as amount from payout
    where state not in ('final', 'displaced') group by network`)
  return new Map(rows.map(({ network, amount }) => [network, BigInt(amount)]))
}
