/** What merchants' transactions cost the network's fees, and which orders wait for it. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { CostedOrder } from './gas-budget.ts'

interface Amount {
  readonly merchant_id: string
  readonly minor: string
}

/** As far back as a budget looks. */
const day = sql`interval '24 hours'`

/**
 * By merchant, in the network's coin: what its withdrawals and its share of sweeps cost in the last 24 hours, failed ones
 * too; of what is not in a block yet, the most that it may cost.
 */
export async function readNetworkCosts(
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const asked = sql`select unnest(${[...merchantIds]}::uuid[]) as merchant_id`
  const rows = await on.query<Amount>(
    named(
      'read-network-costs',
      sql`
      with asked as (${asked}), ordered as (
        select merchant_id, id from asked join withdrawal using (merchant_id) where state = 'pending'
        union all
        select merchant_id, id from asked join withdrawal using (merchant_id) where ended_at > now() - ${day}
      ), shared as (
        select merchant_id, transactions, unnest(array[sweep_id, funding_id]) as id
        from asked join collection using (merchant_id)
        -- A sweep of the day may have been planned before it.
        where created_at > now() - 3 * ${day}
      ), caused as (
        select merchant_id, coalesce(fee_minor, max_cost_minor) as minor
        from ordered join payout using (id)
        where network = ${network} and payout.state <> 'displaced'
        union all
        select merchant_id, coalesce(fee_minor, max_cost_minor) * shared.transactions / greatest(total.shares, 1)
        from shared
        join payout using (id)
        cross join lateral (
          select coalesce((select sum(transactions) from collection where sweep_id = shared.id), 0)
            + coalesce((select sum(transactions) from collection where funding_id = shared.id), 0) as shares
        ) total
        where network = ${network} and payout.state <> 'displaced'
          and (payout.ended_at is null or payout.ended_at > now() - ${day})
      )
      select merchant_id, ceil(sum(minor)) as minor from caused group by merchant_id`,
    ),
  )
  return new Map(rows.map(({ merchant_id, minor }) => [merchant_id, BigInt(minor)]))
}

export interface ChargedFees {
  readonly merchantId: string
  readonly asset: string
  readonly minor: bigint
}

/** What merchants paid in fees in the last 24 hours, failures that they were charged for among them. */
export async function readFeesCharged(
  on: Queryable,
  merchantIds: readonly string[],
  assets: readonly string[],
): Promise<readonly ChargedFees[]> {
  const rows = await on.query<Amount & { asset: string }>(
    named(
      'read-fees-charged',
      sql`
      -- Ids of journals begin with the millisecond of the process that made them, whose clock may be off by some.
      with since as (
        select rpad(lpad(to_hex(floor(extract(epoch from now() - ${day} - interval '10 minutes') * 1000)::bigint), 12, '0'),
          32, '0')::uuid as id
      )
      select account.owner_id as merchant_id, account.asset, sum(line.credit - line.debit) as minor
      from since, ledger_account account
      join journal_line line on line.account_id = account.id
      join journal on journal.id = line.journal_id
      where account.owner_id = any(${[...merchantIds]}::uuid[]) and account.name = 'fees'
        and account.asset = any(${[...assets]}::text[])
        and line.journal_id >= since.id and journal.posted_at > now() - ${day}
        and journal.kind not like 'taken_out.%'
      group by account.owner_id, account.asset`,
    ),
  )
  return rows.map(({ merchant_id, asset, minor }) => ({
    merchantId: merchant_id,
    asset,
    minor: BigInt(minor),
  }))
}

/** After so long an order is weighed anew though nothing has changed: the price of gas may have. */
const retryMinutes = 10

/**
 * Has orders wait for their merchants' budgets: those that are approved, and those that the signer refused, of which nothing is
 * planned any more.
 */
export async function saveKeptBack(tx: Tx, orders: readonly CostedOrder[]): Promise<void> {
  await tx.query(sql`
    update withdrawal set waits_for = 'gas-budget', gas_budget_cost_minor = kept.cost,
      gas_budget_retry_at = now() + ${retryMinutes} * interval '1 minute'
    from unnest(${orders.map(({ id }) => id)}::uuid[], ${orders.map(({ costMinor }) => `${costMinor}`)}::numeric[])
      kept (id, cost)
    where withdrawal.id = kept.id and (
      stage = 'approved'
      or (stage = 'planned' and not exists (select from payout where payout.id = withdrawal.id)))`)
}

/** Which of some orders wait for their merchants' budgets. */
export async function findOverBudget(on: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    named(
      'find-over-budget-withdrawals',
      sql`select id from withdrawal where id = any(${[...ids]}::uuid[]) and waits_for = 'gas-budget'`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

export interface KeptBack extends CostedOrder {
  /** Whether it is time to weigh it anew, whatever it would have cost before. */
  readonly isDue: boolean
}

/** The orders that wait for their merchants' budgets, oldest first, of each merchant the first few. */
export async function readKeptBack(
  on: Queryable,
  assets: readonly string[],
  maxEach: number,
): Promise<readonly KeptBack[]> {
  const rows = await on.query<{ id: string; merchant_id: string; cost: string; is_due: boolean }>(
    named(
      'read-kept-back-withdrawals',
      sql`
      select id, merchant_id, gas_budget_cost_minor as cost, gas_budget_retry_at <= now() as is_due
      from (
        select withdrawal.*, row_number() over (partition by merchant_id order by created_at, id) as place
        from withdrawal where waits_for = 'gas-budget' and asset = any(${[...assets]}::text[])
      ) kept
      where place <= ${maxEach}
      order by created_at, id`,
    ),
  )
  return rows.map(({ id, merchant_id, cost, is_due }) => ({
    id,
    merchantId: merchant_id,
    costMinor: BigInt(cost),
    isDue: is_due,
  }))
}

/** Lets orders be planned that waited for a budget. */
export async function saveLetGo(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    update withdrawal set waits_for = null
    where id = any(${[...ids]}::uuid[]) and waits_for = 'gas-budget'`)
}

export interface FailurePrices {
  readonly id: string
  readonly coinPriceUsd: bigint
  readonly assetPriceUsd: bigint
}

/** Keeps the prices by which a failure is charged, while nothing is planned; they stand from then on. */
export async function saveFailurePrices(tx: Tx, prices: readonly FailurePrices[]): Promise<void> {
  await tx.query(sql`
    update withdrawal set failure_coin_price_usd = price.coin, failure_asset_price_usd = price.asset
    from unnest(${prices.map(({ id }) => id)}::uuid[],
      ${prices.map(({ coinPriceUsd }) => `${coinPriceUsd}`)}::numeric[],
      ${prices.map(({ assetPriceUsd }) => `${assetPriceUsd}`)}::numeric[]) price (id, coin, asset)
    where withdrawal.id = price.id and stage = 'approved'`)
}

/** Adds what failures took from held amounts; their withdrawals must be locked. */
export async function saveNetworkCosts(tx: Tx, chargedMinor: ReadonlyMap<string, bigint>): Promise<void> {
  if (chargedMinor.size === 0) return
  await tx.query(sql`
    update withdrawal set network_cost_minor = coalesce(network_cost_minor, 0) + charged.minor
    from unnest(${[...chargedMinor.keys()]}::uuid[], ${[...chargedMinor.values()].map(String)}::numeric[])
      charged (id, minor)
    where withdrawal.id = charged.id`)
}
