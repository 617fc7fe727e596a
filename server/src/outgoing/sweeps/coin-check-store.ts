/**
 * Stores requests to compare the coin of addresses with the books before it is swept. Coin that contracts sent is
 * in no transfer of a block that was read without call traces.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Time for which a comparison is good enough for a sweep. */
const goodMinutes = 60
/** Time after which a sweep no longer waits for a comparison. */
const waitMinutes = 60

/**
 * SQL: requests comparisons at `height` or later. A request that is open keeps the time since which it is waited
 * for.
 */
function requestOf(network: string, addressIds: readonly number[], height: number) {
  return sql`
    insert into coin_check (network, address_id, asked_height)
    select ${network}, id, ${height}::bigint from unnest(${[...addressIds]}::bigint[]) as asked (id) order by id
    on conflict (network, address_id) do update
    set asked_height = excluded.asked_height, asked_at = coffer_now(), checked_height = null,
      asked_first_at =
        case when coin_check.checked_height is null then coin_check.asked_first_at else coffer_now() end`
}

/** The addresses that may be swept now. */
export interface CheckedAddresses {
  readonly ids: ReadonlySet<number>
  /** Those that may be swept because they waited too long for a comparison. */
  readonly overdueIds: readonly number[]
}

/**
 * Returns those of the addresses whose coin was compared a short time ago, or waited too long for it: what a sweep
 * takes beyond the books is booked later. Requests a comparison of the others, at the network's last final block or
 * later.
 */
export async function takeChecked(
  on: Queryable,
  network: string,
  addressIds: readonly number[],
  finalHeight: number,
): Promise<CheckedAddresses> {
  if (addressIds.length === 0) return { ids: new Set(), overdueIds: [] }
  await on.query(sql`
    ${requestOf(network, addressIds, finalHeight)}
    where coin_check.asked_at <= coffer_now() - make_interval(mins => ${goodMinutes})`)
  const rows = await on.query<{ id: number; is_checked: boolean }>(sql`
    select address_id as id, checked_height is not null as is_checked from coin_check
    where network = ${network} and address_id = any(${[...addressIds]}::bigint[]) and (checked_height is not null
      or asked_first_at <= coffer_now() - make_interval(mins => ${waitMinutes}))
    order by address_id`)
  const overdueIds = rows.flatMap(({ id, is_checked }) => (is_checked ? [] : [id]))
  return { ids: new Set(rows.map(({ id }) => id)), overdueIds }
}

/** Requests that the coin of addresses is compared at `height` or later. */
export async function askCheck(
  tx: Tx,
  network: string,
  addressIds: readonly number[],
  height: number,
): Promise<void> {
  await tx.query(requestOf(network, addressIds, height))
}

/**
 * Removes the comparisons of addresses whose sweep is planned. The next sweep of them requests a new one. Requests
 * that are still open stay, because an earlier sweep may have taken more than is booked.
 */
export async function dropChecks(tx: Tx, network: string, addressIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    delete from coin_check
    where network = ${network} and address_id = any(${[...addressIds]}::bigint[]) and checked_height is not null`)
}

/** Returns the addresses whose comparison is requested at `height` or below, the longest without an attempt first. */
export function readAsked(
  on: Queryable,
  network: string,
  height: number,
  rows: number,
): Promise<readonly { readonly id: number; readonly address: string }[]> {
  return on.query(sql`
    select address.id, address.address from coin_check join address on address.id = address_id
    where coin_check.network = ${network} and checked_height is null and asked_height <= ${height}::bigint
    order by asked_at, address.id limit ${rows}`)
}

/** Stores that the coin of addresses was compared at `height`. */
export async function saveChecked(
  tx: Tx,
  network: string,
  addressIds: readonly number[],
  height: number,
): Promise<void> {
  await tx.query(sql`
    update coin_check set checked_height = ${height}::bigint
    where network = ${network} and address_id = any(${[...addressIds]}::bigint[]) and checked_height is null
      and asked_height <= ${height}::bigint`)
}
