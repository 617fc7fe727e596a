/**
 * The SQL of the progress of the search for missed payments, by network. The search goes through all derived
 * addresses in the order of their ids, and then begins again. One such pass is called a rotation.
 */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface Search {
  readonly comparedHeight: number
  /** Id of the last address that the current rotation has compared; 0 at the beginning of a rotation. */
  readonly addressId: number
  /** Number of addresses when the rotation began. */
  readonly rotationTotal: number
}

export async function readSearch(on: Queryable, network: string): Promise<Search> {
  const row = await one<Search>(
    on,
    sql`select compared_height as "comparedHeight", address_id as "addressId", rotation_total as "rotationTotal"
        from missed_payment_search where network = ${network}`,
  )
  return row ?? { comparedHeight: -1, addressId: 0, rotationTotal: 0 }
}

/** What one search run has compared. */
export interface SearchProgress {
  readonly comparedHeight: number
  /** Id of the last address that this run compared as a part of the rotation. */
  readonly addressId: number
  /** Number of addresses that this run compared as a part of the rotation. */
  readonly addresses: number
  /**
   * Whether this run compared the last addresses of the rotation. The next run then begins a new rotation.
   */
  readonly endsRotation: boolean
  readonly rotationTotal: number
}

/**
 * Stores the progress of a run. At the end of a rotation, `covered_since` becomes the time when that rotation
 * began, because every address has been compared since then.
 */
export async function saveProgress(tx: Tx, network: string, progress: SearchProgress): Promise<void> {
  const { comparedHeight, addressId, addresses, endsRotation, rotationTotal } = progress
  await tx.query(sql`
    insert into missed_payment_search as search (network, compared_height, address_id, rotation_addresses, rotation_total,
      scanned_addresses)
    values (${network}, ${comparedHeight}, ${endsRotation ? 0 : addressId}, ${endsRotation ? 0 : addresses}, ${rotationTotal},
      ${addresses})
    on conflict (network) do update
    set compared_height = excluded.compared_height, address_id = excluded.address_id,
        rotation_addresses = case when ${endsRotation} then 0 else search.rotation_addresses + excluded.scanned_addresses end,
        rotation_total = excluded.rotation_total,
        covered_since = case when ${endsRotation} then search.rotation_began_at else search.covered_since end,
        rotation_began_at = case when ${endsRotation} then coffer_now() else search.rotation_began_at end,
        scanned_addresses = greatest(excluded.scanned_addresses, 1),
        scan_seconds = extract(epoch from coffer_now() - search.scanned_at), scanned_at = coffer_now()`)
}

/**
 * Adds to two counters: blocks that were read again, and blocks that could not be compared. A block cannot be
 * compared if the node does not return the booked block with its transfers.
 */
export async function countReread(tx: Tx, network: string, read: number, unread: number): Promise<void> {
  await tx.query(sql`
    insert into missed_payment_search as search (network, blocks_reread, blocks_unread)
    values (${network}, ${read}, ${unread})
    on conflict (network) do update
    set blocks_reread = search.blocks_reread + excluded.blocks_reread,
        blocks_unread = search.blocks_unread + excluded.blocks_unread`)
}

export interface SearchFigures {
  readonly network: string
  /**
   * Every address was compared within the last `coveredSeconds` seconds. Until the first rotation ends, this
   * is the number of seconds since the search began.
   */
  readonly coveredSeconds: number
  readonly rotationTotal: number
  readonly scannedAddresses: number
  readonly scanSeconds: number
  readonly blocksReread: number
  readonly blocksUnread: number
}

export function readSearchFigures(on: Queryable): Promise<readonly SearchFigures[]> {
  return on.query<SearchFigures>(sql`
    select network, extract(epoch from coffer_now() - covered_since)::float8 as "coveredSeconds", rotation_total as "rotationTotal",
      scanned_addresses as "scannedAddresses", scan_seconds as "scanSeconds", blocks_reread as "blocksReread",
      blocks_unread as "blocksUnread"
    from missed_payment_search order by network`)
}
