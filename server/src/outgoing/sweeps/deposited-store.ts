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
 * What lies on deposit addresses of a network and may be taken: confirmed, on an address that no open sweep touches and
 * that holds nothing whose sender did not pass screening and that no operator has decided on, and not set back. Of each
 * asset at most `addressesMax`: those with the most.
 */
export async function readDeposited(
  on: Queryable,
  network: string,
  addressesMax: number,
): Promise<readonly Deposited[]> {
  const rows = await on.query<DepositedRow>(sql`
    with lying as (
      select address_id, asset, merchant_id, sum(amount_minor) as amount_minor, min(confirmed_at) as confirmed_at
      from transaction
      where network = ${network} and sweep_id is null and state = 'confirmed' and address_id is not null
      group by address_id, asset, merchant_id
    ), free as (
      select lying.*, sum(amount_minor) over (partition by merchant_id, asset) as merchant_minor
      from lying
      where not exists (
        select from swept_address join sweep on sweep.id = sweep_id
        where swept_address.address_id = lying.address_id and sweep.state not in ('done', 'dropped'))
      and not exists (
        select from transaction suspect
        where suspect.address_id = lying.address_id and suspect.aml_verdict <> 'passed'
          and suspect.quarantine is distinct from 'released' and suspect.quarantine is distinct from 'seized'
          and suspect.block_height is not null
          and not exists (select from attribution where transaction_id = suspect.id))
      and not exists (
        select from sweep_setback setback
        where setback.address_id = lying.address_id and setback.asset = lying.asset
          and (retry_at is null or retry_at > now())
          and not exists (
            select from collection_order where network = ${network} and ordered_at > setback.failed_at))
    ), placed as (
      select *, row_number() over (partition by asset order by amount_minor desc, address_id) as place from free
    )
    select address_id, address.address, address.branch, address.index, asset, placed.merchant_id, amount_minor,
      merchant_minor, confirmed_at,
      exists (
        select from invoice
        where invoice.id = address.invoice_id and type = 'collect' and invoice.state = 'pending'
          and invoice.deleted_at is null) as is_collecting
    from placed join address on address.id = address_id
    where place <= ${addressesMax}
    order by asset, place`)
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

/** The hot lanes of a network by their numbers, as the signer attested them. */
export async function readLanes(on: Queryable, network: string): Promise<readonly string[]> {
  const rows = await on.query<{ address: string }>(
    sql`select address from hot_wallet where network = ${network} order by lane`,
  )
  return rows.map(({ address }) => address)
}

/** What pending withdrawals of a network are still to bring to their recipients, by asset. */
export async function readWaiting(on: Queryable, network: string): Promise<ReadonlyMap<string, Waiting>> {
  const rows = await on.query<{ asset: string; net: string; orders: number }>(sql`
    select asset, sum(amount_minor - fee_minor) as net, count(*)::integer as orders from withdrawal
    where state = 'pending' and asset like ${`${network}/%`} and waits_for is distinct from 'gas-budget'
    group by asset`)
  return new Map(rows.map(({ asset, net, orders }) => [asset, { netMinor: BigInt(net), orders }]))
}

/** What recipients are to get of an asset, and by how many orders. */
export interface Waiting {
  readonly netMinor: bigint
  readonly orders: number
}

/** The present by which a look decides. */
export interface Present {
  readonly now: Date
  /** The block up to which balances are asked; undefined while no chain is followed. */
  readonly height: number | undefined
  readonly orderedAt: Date | undefined
}

export async function readPresent(on: Queryable, network: string): Promise<Present> {
  const row = await one<{ now: Date; height: number | null; ordered_at: Date | null }>(
    on,
    sql`select now() as now, (select height from chain_cursor where network = ${network}) as height,
      (select ordered_at from collection_order where network = ${network}) as ordered_at`,
  )
  return {
    now: row?.now ?? new Date(0),
    height: row?.height ?? undefined,
    orderedAt: row?.ordered_at ?? undefined,
  }
}

/** Keeps the first fee level of the hour, drops those that are too old, and gives the rest back. */
export async function noteFeeLevel(
  on: Queryable,
  network: string,
  baseFeeMinor: bigint,
  hoursKept: number,
): Promise<readonly bigint[]> {
  await on.query(sql`
    with dropped as (
      delete from fee_level where network = ${network} and hour < now() - make_interval(hours => ${hoursKept})
    )
    insert into fee_level (network, hour, base_fee_minor)
    values (${network}, date_trunc('hour', now(), 'UTC'), ${baseFeeMinor.toString()})
    on conflict do nothing`)
  const rows = await on.query<{ base_fee_minor: string }>(
    sql`select base_fee_minor from fee_level where network = ${network}`,
  )
  return rows.map((row) => BigInt(row.base_fee_minor))
}

/** Which of some addresses were given coin how often in the last 24 hours. */
export async function countTopUps(
  on: Queryable,
  addressIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await on.query<{ address_id: number; count: number }>(sql`
    select address_id, count(*)::integer as count
    from swept_address join sweep on sweep.id = sweep_id
    where address_id = any(${[...addressIds]}::bigint[]) and kind = 'top_up'
      and planned_at > now() - interval '24 hours'
    group by address_id`)
  return new Map(rows.map((row) => [row.address_id, row.count]))
}

/** Whether the contract to which addresses are delegated is being put on the chain. */
export async function isDeploying(on: Queryable, network: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select id from sweep where network = ${network} and kind = 'deploy' and state not in ('done', 'dropped') limit 1`,
  )
  return row !== undefined
}

/** Asks that everything on a network be brought in that is worth its fee, what was set back too. */
export async function saveOrder(on: Queryable, network: string): Promise<void> {
  await on.query(sql`
    insert into collection_order (network) values (${network})
    on conflict (network) do update set ordered_at = now()`)
}
