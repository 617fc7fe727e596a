/** Reads what the books contain about addresses, for comparison with the chain. */
import sql, { type Sql } from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../chains/networks.ts'
import { readExplained } from '../../payments/deposits/recording/explained-store.ts'
import type { RecordedTransfer } from '../../payments/deposits/recording/unrecorded-transfers.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'

/** The range of a network's booked blocks. */
export interface BookedRange {
  readonly firstHeight: number
  readonly height: number
  /** Undefined if the chain has reported no final block. */
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

/** Returns the hashes of the booked blocks at the given heights. Omits heights whose block was deleted. */
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

/**
 * Returns three kinds of addresses: those that hold something according to the books, those with deposits or
 * sweeps in blocks above `height`, and those with findings that are not booked.
 */
export async function readHolding(
  on: Queryable,
  network: NetworkName,
  { height, hasOutpoints }: { readonly height: number; readonly hasOutpoints: boolean },
): Promise<readonly OwnAddress[]> {
  const held = hasOutpoints ? holdingUtxos(network) : holdingDeposits(network)
  return on.query<OwnAddress>(sql`
    select address.id, address.address from address
    where address.id in (
      ${held}
      union select address_id from deposit
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
    select address_id from deposit
    where network = ${network} and sweep_id is null and state = 'confirmed' and address_id is not null
    union select address_id from deposit
    where network = ${network} and state = 'pending' and block_height is not null and address_id is not null`
}

function holdingUtxos(network: NetworkName): Sql {
  return sql`
    select own.id from own_output
    join address own on own.family = ${addressFamilyOf(network)} and own.address = own_output.address
    where own_output.network = ${network} and own_output.spent_by is null`
}

/**
 * Returns the hot wallets' receive and change addresses in use. No payer was given such an address, but money
 * that is sent to one is ours.
 */
export async function readChangeAddresses(on: Queryable, network: NetworkName): Promise<readonly string[]> {
  const rows = await on.query<{ address: string }>(
    sql`select address from hot_wallet_address where network = ${network} and is_given order by branch, index`,
  )
  return rows.map(({ address }) => address)
}

/** Returns the newest `rows` addresses of a network that are assigned to invoices, newest first. */
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

/** Returns up to `rows` derived addresses with an id above `afterId`, in the order of ids. */
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

/** A deposit that is still at its address according to the books. */
export interface UnsweptDeposit {
  readonly addressId: number
  readonly asset: string
  readonly height: number
  readonly amountMinor: bigint
  /** True if the money was received at or below the deposit's block, in unknown transactions. */
  readonly isFoundByBalance: boolean
}

/** Returns the unswept deposits at some addresses, counting only deposits in blocks up to `height`. */
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
  const columns = sql`address_id as "addressId", asset, block_height as height, amount_minor as amount,
    transfer_key like 'balance:%' as "isFoundByBalance"`
  const rows = await on.query<Omit<UnsweptDeposit, 'amountMinor'> & { amount: string }>(sql`
    select ${columns} from deposit where ${wanted} and sweep_id is null and state = 'confirmed'
    union all
    select ${columns} from deposit where ${wanted} and state = 'pending'`)
  return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }))
}

/**
 * An address and an asset whose amounts cannot be compared with the chain. If `asset` is undefined, no asset
 * of the address can be compared.
 */
export interface Uncompared {
  readonly addressId: number
  readonly asset: string | undefined
}

/**
 * Returns the addresses that cannot be compared with the chain:
 * - for all assets, if a sweep of the address is in progress or is in a block above `height`;
 * - for the native coin only, if the address paid network fees or got a top-up for them;
 * - for one asset only, if a deposit of this asset states a larger amount than anybody can have sent.
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
    where address_id = any(${[...ids]}::bigint[]) and sweep.network = ${network} and sweep.kind in ('top_up', 'direct_sweep')
      and ${coin ?? null}::text is not null
    union
    select address_id, asset from deposit
    where address_id = any(${[...ids]}::bigint[]) and network = ${network}
      and aml_verdict = 'implausible' and quarantine is distinct from 'released'`)
  return rows.map(({ id, asset }) => ({ addressId: id, asset: asset ?? undefined }))
}

/**
 * Returns the heights of the blocks in which a sweep may have taken all of an asset from an address, highest
 * first.
 */
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

/** Returns those of the given outpoints that our list of UTXOs contains, spent or not. */
export async function readKnownOutputs(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ outpoint: string }>(sql`
    select outpoint from own_output where network = ${network} and outpoint = any(${[...outpoints]}::text[])`)
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/**
 * Returns the deposits with a block that the given transactions made, and the transfers of these transactions that
 * deposits found by balance contain.
 */
export async function readBookedTransfers(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<readonly RecordedTransfer[]> {
  const rows = await on.query<Omit<RecordedTransfer, 'amountMinor'> & { amount: string }>(sql`
    select transfer_key as key, tx_hash as "txHash", recipient, amount_minor as amount from deposit
    where network = ${network} and tx_hash = any(${[...txHashes]}::text[]) and block_height is not null`)
  const booked = rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }))
  return [...booked, ...(await readExplained(on, network, txHashes))]
}
