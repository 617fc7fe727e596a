/** The SQL of the progress of comparing balances, and of the addresses that a pass compares. */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../chains/networks.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface PassProgress {
  /** The block of the last pass; -1 before the first one. */
  readonly height: number
  /** The last address of the current rotation; 0 at its start. */
  readonly addressId: number
  readonly rotationHeight: number
  /** All addresses were compared at this height or later; -1 before the first rotation ends. */
  readonly coveredHeight: number
}

export async function readProgress(on: Queryable, network: string): Promise<PassProgress> {
  const row = await one<PassProgress>(
    on,
    sql`select height, address_id as "addressId", rotation_height as "rotationHeight", covered_height as "coveredHeight"
        from balance_pass where network = ${network}`,
  )
  return row ?? { height: -1, addressId: 0, rotationHeight: -1, coveredHeight: -1 }
}

export async function saveProgress(tx: Tx, network: string, progress: PassProgress): Promise<void> {
  const { height, addressId, rotationHeight, coveredHeight } = progress
  await tx.query(sql`
    insert into balance_pass (network, height, address_id, rotation_height, covered_height)
    values (${network}, ${height}, ${addressId}, ${rotationHeight}, ${coveredHeight})
    on conflict (network) do update
    set height = excluded.height, address_id = excluded.address_id, rotation_height = excluded.rotation_height,
      covered_height = excluded.covered_height, passed_at = coffer_now()`)
}

export interface PassAddress {
  readonly id: number
  readonly address: string
}

/** Returns the newest addresses of invoices that are still to be paid on the network. */
export function readOpen(on: Queryable, network: NetworkName, rows: number): Promise<readonly PassAddress[]> {
  return on.query<PassAddress>(sql`
    select address.id, address.address from invoice join address on address.invoice_id = invoice.id
    where invoice.state = 'pending' and invoice.deleted_at is null
      and address.family = ${addressFamilyOf(network)} and address.network = ${network}
    order by address.id desc limit ${rows}`)
}

/** Returns the next addresses of a rotation through all addresses of the network's family. */
export function readNext(
  on: Queryable,
  network: NetworkName,
  afterId: number,
  rows: number,
): Promise<readonly PassAddress[]> {
  return on.query<PassAddress>(sql`
    select id, address from address where family = ${addressFamilyOf(network)} and id > ${afterId}
    order by id limit ${rows}`)
}

/** An address with an open finding of the search for missed payments, and the block that brought the money. */
export interface FoundAddress extends PassAddress {
  readonly height: number
}

/**
 * Returns addresses that hold more coin than is booked, by the search for missed payments. If there are more than
 * `rows`, each block gives another selection, so findings that stay open do not hide the others.
 */
export function readFindings(
  on: Queryable,
  {
    network,
    asset,
    height,
  }: { readonly network: NetworkName; readonly asset: string; readonly height: number },
  rows: number,
): Promise<readonly FoundAddress[]> {
  return on.query<FoundAddress>(sql`
    select address.id, address.address, missed.height from missed_payment missed
    join address on address.family = ${addressFamilyOf(network)} and address.address = missed.address
    where missed.network = ${network} and missed.asset = ${asset} and missed.state in ('open', 'unexplained')
      and missed.is_located and missed.found_by = 'balance'
    order by md5(${String(height)} || missed.id::text), missed.id limit ${rows}`)
}
