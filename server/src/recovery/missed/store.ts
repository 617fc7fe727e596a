import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  type FoundBy,
  type Missed,
  type MissedPayment,
  type MissedState,
  mergeMissed,
} from './missed-payment.ts'

interface Row {
  readonly id: number
  readonly network: string
  readonly address: string
  readonly asset: string
  readonly height: number
  readonly is_located: boolean
  readonly amount_minor: string
  readonly tx_hash: string | null
  readonly found_by: FoundBy
  readonly state: MissedState
  readonly found_at: Date
}

const columns = sql`id, network, address, asset, height, is_located, amount_minor, tx_hash, found_by, state, found_at`

/**
 * Keeps what was found. What is known and as it was stays as it is, whether it is still open or could not be explained.
 * @returns what is new
 */
export async function noteMissed(tx: Tx, found: readonly Missed[]): Promise<readonly MissedPayment[]> {
  if (found.length === 0) return []
  const rows = mergeMissed(found).map((one) => ({ ...one, amountMinor: `${one.amountMinor}` }))
  const kept = await tx.query<Row>(sql`
    insert into missed_payment (network, address, asset, height, is_located, amount_minor, tx_hash, found_by)
    select network, address, asset, height, "isLocated", "amountMinor", "txHash", "foundBy"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
      network text, address text, asset text, height bigint, "isLocated" boolean, "amountMinor" numeric, "txHash" text,
      "foundBy" text)
    on conflict (network, address, asset, height) do update
    set amount_minor = excluded.amount_minor, is_located = excluded.is_located, found_by = excluded.found_by,
        tx_hash = coalesce(excluded.tx_hash, missed_payment.tx_hash), state = 'open', found_at = now(), ended_at = null
    where missed_payment.state in ('booked', 'gone') or missed_payment.amount_minor < excluded.amount_minor
    returning ${columns}`)
  return kept.map(toMissed)
}

/** What is open or could not be explained, oldest first. */
export async function readUnbooked(on: Queryable, network: string): Promise<readonly MissedPayment[]> {
  const rows = await on.query<Row>(sql`
    select ${columns} from missed_payment
    where network = ${network} and state in ('open', 'unexplained') order by height, id`)
  return rows.map(toMissed)
}

/** Changes open and unexplained findings alone, so that a run beside another one reopens nothing. */
export async function endMissed(
  tx: Tx,
  ids: readonly number[],
  state: Exclude<MissedState, 'open'>,
): Promise<void> {
  await tx.query(sql`
    update missed_payment
    set state = ${state}, ended_at = case when ${state} <> 'unexplained' then now() end
    where id = any(${[...ids]}::bigint[]) and state in ('open', 'unexplained')`)
}

/** Holds a finding until the transaction ends, as it is by now; undefined where another has ended it. */
export async function holdUnbooked(tx: Tx, id: number): Promise<MissedPayment | undefined> {
  const row = await one<Row>(
    tx,
    sql`select ${columns} from missed_payment where id = ${id} and state in ('open', 'unexplained') for update`,
  )
  return row && toMissed(row)
}

/** What is left of a finding whose block explains but a part of it. @param amountMinor above zero */
export async function keepRest(tx: Tx, id: number, amountMinor: bigint): Promise<void> {
  await tx.query(sql`
    update missed_payment set state = 'unexplained', amount_minor = ${amountMinor} where id = ${id}`)
}

/**
 * Ends findings that the books tell of by now, as where a block was read anew. What a sweep has taken since is told of by no book,
 * so that such a finding stays.
 */
export async function endGone(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(sql`
    update missed_payment missed set state = 'gone', ended_at = now()
    where id = any(${[...ids]}::bigint[]) and not exists (
      select from address
      join swept_address on swept_address.address_id = address.id
      join sweep on sweep.id = swept_address.sweep_id
      where address.address = missed.address and sweep.network = missed.network
        and sweep.block_height >= missed.height and missed.asset = any(sweep.assets))`)
}

/** How many payments were missed and not booked, by network and state. */
export function countUnbooked(
  on: Queryable,
): Promise<readonly { readonly network: string; readonly state: MissedState; readonly count: number }[]> {
  return on.query(sql`
    select network, state, count(*)::integer as count from missed_payment
    where state in ('open', 'unexplained') group by network, state order by network, state`)
}

function toMissed(row: Row): MissedPayment {
  return {
    id: row.id,
    network: row.network,
    address: row.address,
    asset: row.asset,
    height: row.height,
    isLocated: row.is_located,
    amountMinor: BigInt(row.amount_minor),
    txHash: row.tx_hash ?? undefined,
    foundBy: row.found_by,
    state: row.state,
    foundAt: row.found_at,
  }
}
