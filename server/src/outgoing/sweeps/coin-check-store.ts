/**
 * Stores requests to compare the coin of addresses with the books before it is swept. Coin that contracts sent is
 * in no transfer of a block that was read without call traces.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Time for which a comparison is good enough for a sweep. */
const goodMinutes = 60

/**
 * Returns those of the addresses whose coin was compared a short time ago. Requests a comparison of the others,
 * at the network's last final block or later.
 */
export async function takeChecked(
  on: Queryable,
  network: string,
  addressIds: readonly number[],
  finalHeight: number,
): Promise<ReadonlySet<number>> {
  if (addressIds.length === 0) return new Set()
  await on.query(sql`
    insert into coin_check (network, address_id, asked_height)
    select ${network}, id, ${finalHeight}::bigint from unnest(${[...addressIds]}::bigint[]) as asked (id) order by id
    on conflict (network, address_id) do update
    set asked_height = excluded.asked_height, asked_at = coffer_now(), checked_height = null
    where coin_check.asked_at <= coffer_now() - make_interval(mins => ${goodMinutes})`)
  const rows = await on.query<{ id: number }>(sql`
    select address_id as id from coin_check
    where network = ${network} and address_id = any(${[...addressIds]}::bigint[]) and checked_height is not null`)
  return new Set(rows.map(({ id }) => id))
}

/** Removes the comparisons of addresses whose sweep is planned. The next sweep of them requests a new one. */
export async function dropChecks(tx: Tx, network: string, addressIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    delete from coin_check where network = ${network} and address_id = any(${[...addressIds]}::bigint[])`)
}

/** Returns the addresses whose comparison is requested at `height` or below, the oldest request first. */
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
