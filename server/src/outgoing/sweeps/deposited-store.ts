/** Reads the deposits that can be swept, and the data that decides which of them are to be swept now. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Deposited } from './sweep.ts'

interface DepositedRow {
  readonly address_id: number
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly asset: string
  readonly merchant_id: string | null
  readonly amount_minor: string
  readonly merchant_minor: string
  readonly confirmed_at: Date
  readonly is_collecting: boolean
}

/**
 * Returns the sums of confirmed deposits on a network that may be swept, by address and asset. For each
 * asset, at most `addressesMax` addresses are returned, those with the most money. The function leaves out:
 * - addresses in an open sweep;
 * - an asset on an address, if a sweep could not take the asset and the retry is not due;
 * - addresses with a deposit whose sender did not pass screening, until an operator has decided on the
 *   deposit.
 */
export async function readDeposited(
  on: Queryable,
  network: string,
  addressesMax: number,
): Promise<readonly Deposited[]> {
  const rows = await on.query<DepositedRow>(sql`
    with lying as (
      select address_id, asset, merchant_id, sum(amount_minor) as amount_minor, min(confirmed_at) as confirmed_at
      from deposit
      where network = ${network} and sweep_id is null and state = 'confirmed' and address_id is not null
      group by address_id, asset, merchant_id
    ), free as (
      select lying.*, sum(amount_minor) over (partition by merchant_id, asset) as merchant_minor
      from lying
      where not exists (
        select from swept_address join sweep on sweep.id = sweep_id
        where swept_address.address_id = lying.address_id and sweep.network = ${network}
          and sweep.state not in ('done', 'dropped'))
      and not exists (
        select from deposit suspect
        where suspect.address_id = lying.address_id and suspect.network = ${network}
          and suspect.aml_verdict <> 'passed'
          and suspect.quarantine is distinct from 'released' and suspect.quarantine is distinct from 'seized'
          and suspect.block_height is not null
          and not exists (select from attribution where deposit_id = suspect.id))
      and not exists (
        select from sweep_retry retry_entry
        where retry_entry.address_id = lying.address_id and retry_entry.asset = lying.asset
          and (retry_at is null or retry_at > coffer_now())
          and not exists (
            select from sweep_order where network = ${network} and ordered_at > retry_entry.failed_at))
    ), numbered as (
      select *, row_number() over (partition by asset order by amount_minor desc, address_id) as ordinal from free
    )
    select address_id, address.address, address.branch, address.index, asset, numbered.merchant_id, amount_minor,
      merchant_minor, confirmed_at,
      exists (
        select from invoice
        where invoice.id = address.invoice_id and type = 'collect' and invoice.state = 'pending'
          and invoice.deleted_at is null) as is_collecting
    from numbered join address on address.id = address_id
    where ordinal <= ${addressesMax}
    order by asset, ordinal`)
  return rows.map((row) => ({
    addressId: row.address_id,
    address: row.address,
    branch: row.branch,
    index: row.index,
    asset: row.asset,
    merchantId: row.merchant_id ?? undefined,
    amountMinor: BigInt(row.amount_minor),
    merchantMinor: BigInt(row.merchant_minor),
    confirmedAt: row.confirmed_at,
    isCollecting: row.is_collecting,
  }))
}

/** Returns the hot wallets of a network in the order of their indexes, as the signer attested them. */
export async function readHotWallets(on: Queryable, network: string): Promise<readonly string[]> {
  const rows = await on.query<{ address: string }>(
    sql`select address from hot_wallet where network = ${network} order by index`,
  )
  return rows.map(({ address }) => address)
}

/**
 * Returns, by asset, the amounts that recipients are to get from the pending withdrawals of a network.
 * Withdrawals that wait for a gas budget are left out.
 */
export async function readWaiting(on: Queryable, network: string): Promise<ReadonlyMap<string, Waiting>> {
  const rows = await on.query<{ asset: string; net: string; orders: number }>(sql`
    select asset, sum(amount_minor - fee_minor) as net, count(*)::integer as orders from withdrawal
    where state = 'pending' and asset like ${`${network}/%`} and waits_for is distinct from 'gas-budget'
    group by asset`)
  return new Map(rows.map(({ asset, net, orders }) => [asset, { netMinor: BigInt(net), orders }]))
}

/** The amount of an asset that recipients are to get, and the number of orders that send it. */
export interface Waiting {
  readonly netMinor: bigint
  readonly orders: number
}

/**
 * The facts that decide what is swept and that change over time: the time, the height of the chain and the
 * last order to sweep.
 */
export interface Present {
  readonly now: Date
  /**
   * The height of the block at which balances are read. Undefined while no block of the network is booked.
   */
  readonly height: number | undefined
  /** The height up to which the chain reports blocks as final; undefined if it reports none. */
  readonly finalHeight: number | undefined
  readonly orderedAt: Date | undefined
}

export async function readPresent(on: Queryable, network: string): Promise<Present> {
  const row = await one<{
    now: Date
    height: number | null
    final_height: number | null
    ordered_at: Date | null
  }>(
    on,
    sql`select coffer_now() as now, cursor.height, nullif(cursor.final_height, -1) as final_height,
      (select ordered_at from sweep_order where network = ${network}) as ordered_at
      from (select ${network}::text as network) asked left join chain_cursor cursor using (network)`,
  )
  return {
    now: row?.now ?? new Date(0),
    height: row?.height ?? undefined,
    finalHeight: row?.final_height ?? undefined,
    orderedAt: row?.ordered_at ?? undefined,
  }
}

/**
 * Stores a fee level if it is the first of its hour, and deletes levels older than `hoursKept`. Returns all
 * levels that are kept.
 */
export async function noteFeeLevel(
  on: Queryable,
  network: string,
  baseFeePerGas: bigint,
  hoursKept: number,
): Promise<readonly bigint[]> {
  await on.query(sql`
    with dropped as (
      delete from fee_level where network = ${network} and hour < coffer_now() - make_interval(hours => ${hoursKept})
    )
    insert into fee_level (network, hour, base_fee_minor)
    values (${network}, date_trunc('hour', coffer_now(), 'UTC'), ${baseFeePerGas.toString()})
    on conflict do nothing`)
  const rows = await on.query<{ base_fee_minor: string }>(
    sql`select base_fee_minor from fee_level where network = ${network}`,
  )
  return rows.map((row) => BigInt(row.base_fee_minor))
}

/** Returns the newest fee level of each network, if that level is at most three hours old. */
export async function readFeeLevels(
  on: Queryable,
  networks: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; base_fee_minor: string }>(sql`
    select distinct on (network) network, base_fee_minor from fee_level
    where network = any(${[...networks]}::text[]) and hour > coffer_now() - interval '3 hours'
    order by network, hour desc`)
  return new Map(rows.map((row) => [row.network, BigInt(row.base_fee_minor)]))
}

/** Returns the number of top-ups of each address on a network in the last 24 hours. */
export async function countTopUps(
  on: Queryable,
  network: string,
  addressIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await on.query<{ address_id: number; count: number }>(sql`
    select address_id, count(*)::integer as count
    from swept_address join sweep on sweep.id = sweep_id
    where address_id = any(${[...addressIds]}::bigint[]) and sweep.network = ${network} and kind = 'top_up'
      and planned_at > coffer_now() - interval '24 hours'
    group by address_id`)
  return new Map(rows.map((row) => [row.address_id, row.count]))
}

/** Returns whether the contract to which addresses are delegated for sweeps is being deployed. */
export async function isDeploying(on: Queryable, network: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select id from sweep where network = ${network} and kind = 'deploy' and state not in ('done', 'dropped') limit 1`,
  )
  return row !== undefined
}

/**
 * Stores an order to sweep all money on a network that is worth its share of the fee. The order includes
 * assets whose earlier sweep failed.
 */
export async function saveOrder(on: Queryable, network: string): Promise<void> {
  await on.query(sql`
    insert into sweep_order (network) values (${network})
    on conflict (network) do update set ordered_at = coffer_now()`)
}
