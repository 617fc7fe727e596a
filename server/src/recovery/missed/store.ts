/** The SQL of findings: missed payments that a search has found, until they are booked or gone. */
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
 * Stores findings. A stored finding that is open or unexplained changes only if its amount has grown. A
 * stored finding that is booked or gone becomes open again.
 * @returns the findings that were stored or changed
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
        tx_hash = coalesce(excluded.tx_hash, missed_payment.tx_hash), state = 'open', found_at = coffer_now(), ended_at = null
    where missed_payment.state in ('booked', 'gone') or missed_payment.amount_minor < excluded.amount_minor
    returning ${columns}`)
  return kept.map(toMissed)
}

/** Returns the open and unexplained findings of a network, lowest block first. */
export async function readUnbooked(on: Queryable, network: string): Promise<readonly MissedPayment[]> {
  const rows = await on.query<Row>(sql`
    select ${columns} from missed_payment
    where network = ${network} and state in ('open', 'unexplained') order by height, id`)
  return rows.map(toMissed)
}

/**
 * Sets the state of findings that are open or unexplained. Other findings are not changed, so that a
 * concurrent run never reopens a finding.
 */
export async function endMissed(
  tx: Tx,
  ids: readonly number[],
  state: Exclude<MissedState, 'open'>,
): Promise<void> {
  await tx.query(sql`
    update missed_payment
    set state = ${state}, ended_at = case when ${state} <> 'unexplained' then coffer_now() end
    where id = any(${[...ids]}::bigint[]) and state in ('open', 'unexplained')`)
}

/**
 * Returns a finding in its present state and locks the finding until the transaction ends. Returns undefined
 * if the finding is already `booked` or `gone`.
 */
export async function holdUnbooked(tx: Tx, id: number): Promise<MissedPayment | undefined> {
  const row = await one<Row>(
    tx,
    sql`select ${columns} from missed_payment where id = ${id} and state in ('open', 'unexplained') for update`,
  )
  return row && toMissed(row)
}

/**
 * Reduces a finding to the part of its amount that the transfers of its block do not explain.
 * @param amountMinor the unexplained part, above zero
 */
export async function keepRest(tx: Tx, id: number, amountMinor: bigint): Promise<void> {
  await tx.query(sql`
    update missed_payment set state = 'unexplained', amount_minor = ${amountMinor} where id = ${id}`)
}

/**
 * Marks findings as `gone` that a later comparison did not find again. Their money was booked in the
 * meantime, for example when a block was read again. A finding stays if a sweep has taken the money from the
 * address, because the money is still not in the books.
 */
export async function endGone(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(sql`
    update missed_payment missed set state = 'gone', ended_at = coffer_now()
    where id = any(${[...ids]}::bigint[]) and not exists (
      select from address
      join swept_address on swept_address.address_id = address.id
      join sweep on sweep.id = swept_address.sweep_id
      where address.address = missed.address and sweep.network = missed.network
        and sweep.block_height >= missed.height and missed.asset = any(sweep.assets))`)
}

/** Returns the number of findings that are not booked, by network and state. */
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
