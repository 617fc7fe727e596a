/** The SQL of what the books contain about the coin of addresses, for comparison with balances. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CoinBooks, SweptSurplus } from './excess.ts'

/** The network's coin, as the asset of deposits. */
export interface Coin {
  readonly network: string
  readonly asset: string
}

export interface AddressBooks extends CoinBooks {
  readonly addressId: number
  /**
   * Why the books are not enough to compare the address: for now, or for ever. Undefined if the address can be
   * compared.
   */
  readonly obstacle: 'for now' | 'for ever' | undefined
  /** Whether the address was assigned after the first followed block, so that nobody could pay it before. */
  readonly isNewer: boolean
}

/**
 * Returns what the books contain about the coin of addresses up to a height, in one statement, so that a sweep
 * that ends meanwhile is either contained or in progress. An address cannot be compared:
 * - for now, while a sweep of it or a transaction that it sends is in progress;
 * - for ever, if a sweep or a top-up is from before their amounts were stored, or if a transaction of it was found
 *   on chain that the database had lost.
 */
export async function readCoinBooks(
  on: Queryable,
  { network, asset }: Coin,
  { addressIds, height }: { readonly addressIds: readonly number[]; readonly height: number },
): Promise<readonly AddressBooks[]> {
  const rows = await on.query<{
    id: number
    booked: string
    own: string
    swept: string
    fees: string
    obstacle: 'for now' | 'for ever' | null
    is_newer: boolean
  }>(sql`
    select address.id,
      (select coalesce(sum(amount_minor), 0) from deposit
       where address_id = address.id and deposit.network = ${network} and asset = ${asset}
         and block_height <= ${height}::bigint) as booked,
      (select coalesce(sum(amount_minor), 0) from own_transfer own
       where own.address_id = address.id and own.network = ${network} and own.block_height <= ${height}::bigint) as own,
      (select coalesce(sum(amount_minor), 0) from swept_coin join sweep on sweep.id = swept_coin.sweep_id
       where swept_coin.address_id = address.id and sweep.network = ${network} and sweep.state = 'done'
         and sweep.block_height <= ${height}::bigint) as swept,
      (select coalesce(sum(fee_minor), 0) from outgoing_evm evm
       join outgoing_transaction sent on sent.id = evm.outgoing_transaction_id
       where evm.network = ${network} and evm.wallet = address.address and sent.state = 'final'
         and sent.included_height <= ${height}::bigint) as fees,
      case
        when exists (
          select from swept_address swept join sweep on sweep.id = swept.sweep_id
          where swept.address_id = address.id and sweep.network = ${network} and sweep.state not in ('done', 'dropped'))
          or exists (
            select from outgoing_evm evm join outgoing_transaction sent on sent.id = evm.outgoing_transaction_id
            where evm.network = ${network} and evm.wallet = address.address
              and sent.state not in ('final', 'conflicted')) then 'for now'
        when exists (
          select from swept_address swept join sweep on sweep.id = swept.sweep_id
          where swept.address_id = address.id and sweep.network = ${network} and sweep.state = 'done' and sweep.is_success
            and sweep.block_height <= ${height}::bigint
            and case sweep.kind
              when 'top_up' then not exists (
                select from own_transfer own
                where own.network = ${network} and own.transfer_key = sweep.tx_hash || ':call:')
              else ${asset} = any(sweep.assets) and not exists (
                select from swept_coin
                where swept_coin.sweep_id = sweep.id and swept_coin.address_id = address.id) end)
          or exists (
            select from wallet_outflow lost
            where lost.network = ${network} and lost.wallet = address.address) then 'for ever' end as obstacle,
      coalesce(assigned_at > (
        select mined_at from block join chain_cursor cursor on cursor.network = block.network
        where cursor.network = ${network} and block.height = cursor.first_height), false) as is_newer
    from address where id = any(${[...addressIds]}::bigint[]) order by id`)
  return rows.map((row) => ({
    addressId: row.id,
    bookedMinor: BigInt(row.booked),
    ownMinor: BigInt(row.own),
    sweptMinor: BigInt(row.swept),
    feesMinor: BigInt(row.fees),
    obstacle: row.obstacle ?? undefined,
    isNewer: row.is_newer,
  }))
}

/**
 * Returns the coin that finished sweeps took from addresses beyond the deposits that they took, lowest block
 * first. It may have been booked since, at a height at or below the sweep's.
 */
export async function readSweptSurpluses(
  on: Queryable,
  { network, asset }: Coin,
  { addressIds, height }: { readonly addressIds: readonly number[]; readonly height: number },
): Promise<readonly (SweptSurplus & { readonly addressId: number })[]> {
  const rows = await on.query<{ address_id: number; sweep_id: string; height: number; surplus: string }>(sql`
    select address_id, sweep_id, height, surplus from (
      select swept.address_id, swept.sweep_id, sweep.block_height as height,
        swept.amount_minor - coalesce((
          select sum(deposit.amount_minor) from deposit
          where deposit.sweep_id = swept.sweep_id and deposit.address_id = swept.address_id and asset = ${asset}), 0) as surplus
      from swept_coin swept join sweep on sweep.id = swept.sweep_id
      where swept.address_id = any(${[...addressIds]}::bigint[]) and sweep.network = ${network} and sweep.state = 'done'
        and sweep.block_height <= ${height}::bigint
    ) taken
    where surplus > 0 order by address_id, height, sweep_id`)
  return rows.map((row) => ({
    addressId: row.address_id,
    sweepId: row.sweep_id,
    height: row.height,
    surplusMinor: BigInt(row.surplus),
  }))
}

/** Returns whether a deposit with this transfer key is stored, in a block or not. */
export async function hasDeposit(on: Queryable, network: string, transferKey: string): Promise<boolean> {
  const rows = await on.query(sql`
    select id from deposit where network = ${network} and transfer_key = ${transferKey} and block_height is not null`)
  return rows.length > 0
}

/** Marks a deposit as taken by a sweep that has ended. */
export async function markSwept(
  tx: Tx,
  network: string,
  transferKey: string,
  sweepId: string,
): Promise<void> {
  await tx.query(sql`
    update deposit set sweep_id = ${sweepId} where network = ${network} and transfer_key = ${transferKey}`)
}
