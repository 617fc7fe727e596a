/** Reads the books from which `own-money.ts` decides what the operator may withdraw. */
import sql, { join } from 'sql-template-tag'
import { readCursor } from '../../chains/blocks/store.ts'
import { limits } from '../../core/limits.ts'
import { platformBalances } from '../../ledger/balance.ts'
import type { AccountName } from '../../ledger/journal.ts'
import { subjectOfRow } from '../../payments/deposits/subject-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import {
  finalHeightOf,
  type PaymentMethod,
  type PaymentMethods,
} from '../../pricing/payment-methods/payment-method.ts'
import { type AssetBooks, type TreasuryWithdrawalSource, treasuryWithdrawalSources } from './own-money.ts'

/**
 * Returns the books of the assets of some payment methods.
 * @param methods all payment methods, which decide which blocks of a network are final
 * @param some the payment methods whose books are returned, in this order
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
  const withdrawing = await readWithdrawing(on)
  const openCosts = await readOpenCosts(on)
  const final = await readFinal(methods, on, new Set(some.map(({ network }) => network)))
  return some.map(({ asset, network, contract }) => {
    const of = (name: AccountName) => balances.get(`${name} ${asset}`) ?? 0n
    const taking = (source: TreasuryWithdrawalSource) => withdrawing.get(`${source} ${asset}`) ?? 0n
    const finalOf = (source: TreasuryWithdrawalSource) => final.get(`${source} ${asset}`) ?? 0n
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
      receivableMinor: of('receivable'),
      finalMinor: { capital: finalOf('capital'), fees: finalOf('fees'), forfeited: finalOf('forfeited') },
      restorableMinor: restorable.get(asset) ?? 0n,
      withdrawingMinor: {
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
      select id, deleted_at > coffer_now() - ${limits.merchantRestoreDays} * interval '24 hours' as is_restorable
      from merchant where deleted_at is not null
    )
    select asset, sum(amount) as amount from (
      select asset, credits - debits as amount from ledger_account join deleted on deleted.id = owner_id
      where ledger_account.name = 'forfeited' and is_restorable
      union all
      select asset, amount_minor from deposit join deleted on deleted.id = merchant_id
      where quarantine = 'held' and not is_restorable
    ) claimed
    group by asset`)
  return new Map(rows.map(({ asset, amount }) => [asset, BigInt(amount)]))
}

async function readWithdrawing(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ source: string; asset: string; amount: string }>(sql`
    select source, asset, sum(amount_minor) as amount from treasury_withdrawal where state = 'pending' group by source, asset`)
  return new Map(rows.map(({ source, asset, amount }) => [`${source} ${asset}`, BigInt(amount)]))
}

/**
 * Returns, by source and asset, the balance that stays on the accounts if blocks that are not final are
 * reversed. The amounts that journals of deposits in such blocks have added are subtracted. All data is read
 * in one statement, and therefore from one snapshot of the database.
 */
async function readFinal(
  methods: PaymentMethods,
  on: Queryable,
  networks: ReadonlySet<string>,
): Promise<ReadonlyMap<string, bigint>> {
  const tips: { network: string; finalHeight: number }[] = []
  for (const network of networks) {
    const cursor = await readCursor(on, network)
    if (cursor !== undefined) tips.push({ network, finalHeight: finalHeightOf(methods, network, cursor) })
  }
  const subjects = (['deposit', 'raised', 'quarantine', 'attributed'] as const).map((about) =>
    subjectOfRow(about, sql`unfinal`),
  )
  const rows = await on.query<{ source: string; asset: string; amount: string }>(sql`
    with unfinal as (
      select id, inclusion from deposit
      join jsonb_to_recordset(${JSON.stringify(tips)}::jsonb) as tip (network text, "finalHeight" bigint) using (network)
      where state = 'confirmed' and block_height > "finalHeight"
    ), passing as (
      select account_id, sum(credit - debit) as amount
      from unfinal
      join journal on subject in (${join(subjects)})
      join journal_line on journal_id = journal.id
      group by account_id
    )
    select name as source, asset, sum(credits - debits - coalesce(amount, 0)) as amount
    from ledger_account left join passing on account_id = ledger_account.id
    where name = any (${[...treasuryWithdrawalSources]})
    group by name, asset`)
  return new Map(rows.map(({ source, asset, amount }) => [`${source} ${asset}`, BigInt(amount)]))
}

/** Returns, by network, the most that unfinished outgoing transactions can cost. */
async function readOpenCosts(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; amount: string }>(sql`
    select network, sum(coalesce(fee_minor, max_cost_minor)) as amount from outgoing_transaction
    where state not in ('final', 'conflicted') group by network`)
  return new Map(rows.map(({ network, amount }) => [network, BigInt(amount)]))
}
