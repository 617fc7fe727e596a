/** What the books say of addresses, for the comparison with what these hold on chain. */
import sql, { type Sql } from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../chains/networks.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'

/** How far the blocks of a network are booked. */
export interface BookedRange {
  readonly firstHeight: number
  readonly height: number
  /** Undefined where the chain has told of nothing final. */
  readonly finalHeight: number | undefined
}

export async function readBookedRange(on: Queryable, network: string): Promise<BookedRange | undefined> {
  const row = await one<{ first_height: number; height: number; final_height: number }>(
    on,
    sql`select first_height, height, final_height from chain_cursor where network = ${network}`,
  )
  if (row === undefined) return undefined
  const finalHeight = row.final_height < 0 ? undefined : row.final_height
  return { firstHeight: row.first_height, height: row.height, finalHeight }
}

export async function readBlockHash(
  on: Queryable,
  network: string,
  height: number,
): Promise<string | undefined> {
  const row = await one<{ hash: string }>(
    on,
    sql`select hash from block where network = ${network} and height = ${height}`,
  )
  return row?.hash
}

/** Those of some heights that our list of blocks still has. */
export function readBlockHashes(
  on: Queryable,
  network: string,
  heights: readonly number[],
): Promise<readonly { readonly height: number; readonly hash: string }[]> {
  return on.query(sql`
    select height, hash from block where network = ${network} and height = any(${[...heights]}::bigint[])
    order by height`)
}

export interface OwnAddress {
  readonly id: number
  readonly address: string
}

/** The addresses on which something lies by the books, or that blocks above `height` touched, those of open findings too. */
export async function readHolding(
  on: Queryable,
  network: NetworkName,
  { height, hasOutpoints }: { readonly height: number; readonly hasOutpoints: boolean },
): Promise<readonly OwnAddress[]> {
  const held = hasOutpoints ? holdingCoins(network) : holdingDeposits(network)
  return on.query<OwnAddress>(sql`
    select address.id, address.address from address
    where address.id in (
      ${held}
      union select address_id from transaction
      where network = ${network} and block_height > ${height} and address_id is not null
      union select swept_address.address_id from sweep
      join swept_address on swept_address.sweep_id = sweep.id
      where sweep.network = ${network} and sweep.block_height > ${height}
      union select own.id from missed_payment
      join address own on own.family = ${addressFamilyOf(network)} and own.address = missed_payment.address
      where missed_payment.network = ${network} and missed_payment.state in ('open', 'unexplained'))
    order by address.id`)
}

function holdingDeposits(network: NetworkName): Sql {
  return sql`
    select address_id from transaction
    where network = ${network} and sweep_id is null and state = 'confirmed' and address_id is not null
    union select address_id from transaction
    where network = ${network} and state = 'pending' and block_height is not null and address_id is not null`
}

function holdingCoins(network: NetworkName): Sql {
  return sql`
    select own.id from coin
    join address own on own.family = ${addressFamilyOf(network)} and own.address = coin.address
    where coin.network = ${network} and coin.spent_by is null`
}

/** Change addresses that were given out: no payer was told of them, and yet what comes there is ours. */
export async function readChangeAddresses(on: Queryable, network: NetworkName): Promise<readonly string[]> {
  const rows = await on.query<{ address: string }>(
    sql`select address from hot_place where network = ${network} and is_given order by branch, index`,
  )
  return rows.map(({ address }) => address)
}

/** Those that were given out last. */
export function readNewest(
  on: Queryable,
  network: NetworkName,
  rows: number,
): Promise<readonly OwnAddress[]> {
  return on.query<OwnAddress>(sql`
    select id, address from address
    where family = ${addressFamilyOf(network)} and (network = ${network} or network is null) and invoice_id is not null
    order by id desc limit ${rows}`)
}

/** The next of all addresses that were ever derived, in the order of their ids. */
export function readNext(
  on: Queryable,
  network: NetworkName,
  afterId: number,
  rows: number,
): Promise<readonly OwnAddress[]> {
  return on.query<OwnAddress>(sql`
    select id, address from address
    where family = ${addressFamilyOf(network)} and (network = ${network} or network is null) and id > ${afterId}
    order by id limit ${rows}`)
}

export async function countAddresses(on: Queryable, network: NetworkName): Promise<number> {
  const row = await one<{ count: number }>(
    on,
    sql`select count(*)::integer as count from address
        where family = ${addressFamilyOf(network)} and (network = ${network} or network is null)`,
  )
  return row?.count ?? 0
}

/** A deposit that lies where it came to, by the books. */
export interface UnsweptDeposit {
  readonly addressId: number
  readonly asset: string
  readonly height: number
  readonly amountMinor: bigint
}

/** What lies on some addresses by the books of the blocks up to `height`. */
export async function readUnswept(
  on: Queryable,
  network: string,
  {
    ids,
    assets,
    height,
  }: {
    readonly ids: readonly number[]
    readonly assets: readonly string[]
    readonly height: number
  },
): Promise<readonly UnsweptDeposit[]> {
  const wanted = sql`network = ${network} and address_id = any(${[...ids]}::bigint[])
    and asset = any(${[...assets]}::text[]) and block_height <= ${height}`
  const columns = sql`address_id as "addressId", asset, block_height as height, amount_minor as amount`
  const rows = await on.query<Omit<UnsweptDeposit, 'amountMinor'> & { amount: string }>(sql`
    select ${columns} from transaction where ${wanted} and sweep_id is null and state = 'confirmed'
    union all
    select ${columns} from transaction where ${wanted} and state = 'pending'`)
  return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }))
}

/** What keeps an address from being compared, by its id; `asset` is undefined where it is all of them. */
export interface Uncompared {
  readonly addressId: number
  readonly asset: string | undefined
}

/**
 * Where nothing can be said of some addresses: a sweep of them is under way or not final at `height`; their coin paid for what
 * they sent themselves, or was given to them for that; a deposit says more than anybody can have sent.
 */
export async function readUncompared(
  on: Queryable,
  network: string,
  {
    ids,
    coin,
    height,
  }: {
    readonly ids: readonly number[]
    readonly coin: string | undefined
    readonly height: number
  },
): Promise<readonly Uncompared[]> {
  const rows = await on.query<{ id: number; asset: string | null }>(sql`
    select address_id as id, null as asset from swept_address join sweep on sweep.id = sweep_id
    where address_id = any(${[...ids]}::bigint[]) and sweep.network = ${network}
      and (sweep.state not in ('done', 'dropped') or sweep.block_height > ${height})
    union
    select address_id, ${coin ?? null}::text from swept_address join sweep on sweep.id = sweep_id
    where address_id = any(${[...ids]}::bigint[]) and sweep.network = ${network} and sweep.kind in ('top_up', 'forward')
      and ${coin ?? null}::text is not null
    union
    select address_id, asset from transaction
    where address_id = any(${[...ids]}::bigint[]) and network = ${network}
      and aml_verdict = 'implausible' and quarantine is distinct from 'released'`)
  return rows.map(({ id, asset }) => ({ addressId: id, asset: asset ?? undefined }))
}

/** The blocks in which sweeps may have taken all that an address held of an asset, the last first. */
export async function readTakenHeights(
  on: Queryable,
  network: string,
  { addressId, asset }: { readonly addressId: number; readonly asset: string },
): Promise<readonly number[]> {
  const rows = await on.query<{ height: number }>(sql`
    select sweep.block_height as height from swept_address join sweep on sweep.id = sweep_id
    where address_id = ${addressId} and sweep.network = ${network} and sweep.state = 'done' and sweep.is_success
      and ${asset} = any(sweep.assets)
    order by sweep.block_height desc`)
  return rows.map(({ height }) => height)
}

/** Those of some outpoints that our list of coins has, spent or not. */
export async function readKnownCoins(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ outpoint: string }>(sql`
    select outpoint from coin where network = ${network} and outpoint = any(${[...outpoints]}::text[])`)
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/** Those of some transfers that are booked in a block. */
export async function readBookedTransfers(
  on: Queryable,
  network: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ key: string }>(sql`
    select transfer_key as key from transaction
    where network = ${network} and transfer_key = any(${[...keys]}::text[]) and block_height is not null`)
  return new Set(rows.map(({ key }) => key))
}
