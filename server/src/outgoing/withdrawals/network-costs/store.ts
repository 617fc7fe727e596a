/** Reads the network fees of merchants' transactions, and stores which orders wait because of them. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { CostedOrder } from './gas-budget.ts'

interface Amount {
  readonly merchant_id: string
  readonly minor: string
}

/** The period for which a merchant's gas budget counts. */
const day = sql`interval '24 hours'`

/**
 * Returns, by merchant, the network fees of its withdrawals and of its share of sweeps in the last 24 hours,
 * in the network's coin. Failed transactions are included. A transaction that is not yet in a block counts
 * with the most that it may cost.
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
        select merchant_id, id from asked join withdrawal using (merchant_id) where ended_at > coffer_now() - ${day}
      ), shared as (
        select merchant_id, transactions, unnest(array[sweep_id, funding_id]) as id
        from asked join merchant_sweep using (merchant_id)
        -- A sweep that ended within the last 24 hours may have been planned earlier.
        where created_at > coffer_now() - 3 * ${day}
      ), caused as (
        select merchant_id, coalesce(fee_minor, max_cost_minor) as minor
        from ordered join outgoing_transaction using (id)
        where network = ${network} and outgoing_transaction.state <> 'conflicted'
        union all
        select merchant_id, coalesce(fee_minor, max_cost_minor) * shared.transactions / greatest(total.shares, 1)
        from shared
        join outgoing_transaction using (id)
        cross join lateral (
          select coalesce((select sum(transactions) from merchant_sweep where sweep_id = shared.id), 0)
            + coalesce((select sum(transactions) from merchant_sweep where funding_id = shared.id), 0) as shares
        ) total
        where network = ${network} and outgoing_transaction.state <> 'conflicted'
          and (outgoing_transaction.ended_at is null or outgoing_transaction.ended_at > coffer_now() - ${day})
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

/** Returns the fees that merchants paid in the last 24 hours, including charges for failures. */
export async function readFeesCharged(
  on: Queryable,
  merchantIds: readonly string[],
  assets: readonly string[],
): Promise<readonly ChargedFees[]> {
  const rows = await on.query<Amount & { asset: string }>(
    named(
      'read-fees-charged',
      sql`
      -- A journal's id begins with the time in milliseconds at which it was created. The clock of the process
      -- that created it may be wrong by minutes.
      with since as (
        select rpad(lpad(to_hex(floor(extract(epoch from coffer_now() - ${day} - interval '10 minutes') * 1000)::bigint), 12, '0'),
          32, '0')::uuid as id
      )
      select account.owner_id as merchant_id, account.asset, sum(line.credit - line.debit) as minor
      from since, ledger_account account
      join journal_line line on line.account_id = account.id
      join journal on journal.id = line.journal_id
      where account.owner_id = any(${[...merchantIds]}::uuid[]) and account.name = 'fees'
        and account.asset = any(${[...assets]}::text[])
        and line.journal_id >= since.id and journal.posted_at > coffer_now() - ${day}
        and journal.kind not like 'treasury_withdrawal.%'
      group by account.owner_id, account.asset`,
    ),
  )
  return rows.map(({ merchant_id, asset, minor }) => ({
    merchantId: merchant_id,
    asset,
    minor: BigInt(minor),
  }))
}

/**
 * The time after which an order that waits for a gas budget is checked again, because the price of gas may
 * have changed.
 */
const retryMinutes = 10

/**
 * Stores that orders wait for their merchants' gas budgets. Each order is either approved, or its planned
 * transaction was refused by the signer and deleted.
 */
export async function saveKeptBack(tx: Tx, orders: readonly CostedOrder[]): Promise<void> {
  await tx.query(sql`
    update withdrawal set waits_for = 'gas-budget', gas_budget_cost_minor = kept.cost,
      gas_budget_retry_at = coffer_now() + ${retryMinutes} * interval '1 minute'
    from unnest(${orders.map(({ id }) => id)}::uuid[], ${orders.map(({ costMinor }) => `${costMinor}`)}::numeric[])
      kept (id, cost)
    where withdrawal.id = kept.id and (
      stage = 'approved'
      or (stage = 'planned' and not exists (select from outgoing_transaction where outgoing_transaction.id = withdrawal.id)))`)
}

/** Returns which of the orders wait for their merchants' gas budgets. */
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
  /**
   * Whether the retry time has come. The order is then checked again, even if its cost was too high at the
   * last check.
   */
  readonly isDue: boolean
}

/**
 * Returns the orders that wait for their merchants' gas budgets, oldest first. At most `maxEach` orders of
 * each merchant are returned.
 */
export async function readKeptBack(
  on: Queryable,
  assets: readonly string[],
  maxEach: number,
): Promise<readonly KeptBack[]> {
  const rows = await on.query<{ id: string; merchant_id: string; cost: string; is_due: boolean }>(
    named(
      'read-kept-back-withdrawals',
      sql`
      select id, merchant_id, gas_budget_cost_minor as cost, gas_budget_retry_at <= coffer_now() as is_due
      from (
        select withdrawal.*, row_number() over (partition by merchant_id order by created_at, id) as ordinal
        from withdrawal where waits_for = 'gas-budget' and asset = any(${[...assets]}::text[])
      ) kept
      where ordinal <= ${maxEach}
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

/** Lets orders that waited for a gas budget be planned again. */
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

/**
 * Stores the prices at which a failure on chain is charged. The prices can change only while no transaction
 * is planned for the order.
 */
export async function saveFailurePrices(tx: Tx, prices: readonly FailurePrices[]): Promise<void> {
  await tx.query(sql`
    update withdrawal set failure_coin_price_usd = price.coin, failure_asset_price_usd = price.asset
    from unnest(${prices.map(({ id }) => id)}::uuid[],
      ${prices.map(({ coinPriceUsd }) => `${coinPriceUsd}`)}::numeric[],
      ${prices.map(({ assetPriceUsd }) => `${assetPriceUsd}`)}::numeric[]) price (id, coin, asset)
    where withdrawal.id = price.id and stage = 'approved'`)
}

/**
 * Adds, to the network cost of each withdrawal, the amount that a failure on chain took from its hold. The
 * withdrawals must be locked.
 */
export async function saveNetworkCosts(tx: Tx, chargedMinor: ReadonlyMap<string, bigint>): Promise<void> {
  if (chargedMinor.size === 0) return
  await tx.query(sql`
    update withdrawal set network_cost_minor = coalesce(network_cost_minor, 0) + charged.minor
    from unnest(${[...chargedMinor.keys()]}::uuid[], ${[...chargedMinor.values()].map(String)}::numeric[])
      charged (id, minor)
    where withdrawal.id = charged.id`)
}
