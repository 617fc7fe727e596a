/** How far the search for missed payments has come, by network. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface Search {
  readonly comparedHeight: number
  /** Of the last address of the turn. */
  readonly addressId: number
  /** Addresses of the turn when it began. */
  readonly turnTotal: number
}

export async function readSearch(on: Queryable, network: string): Promise<Search> {
  const row = await one<Search>(
    on,
    sql`select compared_height as "comparedHeight", address_id as "addressId", turn_total as "turnTotal"
        from missed_payment_search where network = ${network}`,
  )
  return row ?? { comparedHeight: -1, addressId: 0, turnTotal: 0 }
}

/** What one look has compared. */
export interface LookDone {
  readonly comparedHeight: number
  /** Of the last address of the turn that it compared. */
  readonly addressId: number
  /** How many of the turn it compared. */
  readonly addresses: number
  /** Whether those were the last: the next look begins another turn. */
  readonly endsTurn: boolean
  readonly turnTotal: number
}

/** Moves on; with the end of a turn every address has been compared since that turn began. */
export async function saveLook(tx: Tx, network: string, look: LookDone): Promise<void> {
  const { comparedHeight, addressId, addresses, endsTurn, turnTotal } = look
  await tx.query(sql`
    insert into missed_payment_search as search (network, compared_height, address_id, turn_addresses, turn_total,
      look_addresses)
    values (${network}, ${comparedHeight}, ${endsTurn ? 0 : addressId}, ${endsTurn ? 0 : addresses}, ${turnTotal},
      ${addresses})
    on conflict (network) do update
    set compared_height = excluded.compared_height, address_id = excluded.address_id,
        turn_addresses = case when ${endsTurn} then 0 else search.turn_addresses + excluded.look_addresses end,
        turn_total = excluded.turn_total,
        covered_since = case when ${endsTurn} then search.turn_began_at else search.covered_since end,
        turn_began_at = case when ${endsTurn} then now() else search.turn_began_at end,
        look_addresses = greatest(excluded.look_addresses, 1),
        look_seconds = extract(epoch from now() - search.looked_at), looked_at = now()`)
}

/** Counts blocks that were read again, and those of which no node keeps what is needed. */
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
  /** Every address was compared within so many seconds; before the first turn ends, since when any was. */
  readonly coveredSeconds: number
  readonly turnTotal: number
  readonly lookAddresses: number
  readonly lookSeconds: number
  readonly blocksReread: number
  readonly blocksUnread: number
}

export function readSearchFigures(on: Queryable): Promise<readonly SearchFigures[]> {
  return on.query<SearchFigures>(sql`
    select network, extract(epoch from now() - covered_since)::float8 as "coveredSeconds", turn_total as "turnTotal",
      look_addresses as "lookAddresses", look_seconds as "lookSeconds", blocks_reread as "blocksReread",
      blocks_unread as "blocksUnread"
    from missed_payment_search order by network`)
}
