/** Stores which deposits a sweep takes, and reads how many deposits of an invoice are swept. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Sweep } from './sweep-store.ts'
import type { SweptDeposit, TakenDeposits } from './taken.ts'

/** One merchant's money in one asset that a sweep takes, or for which a top-up pays the gas. */
export interface MerchantShare {
  readonly merchantId: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly transactions: number
}

interface ShareRow {
  readonly merchant_id: string | null
  readonly asset: string
  readonly payment_method_id: number
  readonly amount_minor: string
  readonly transactions: number
}

/**
 * The deposits that a sweep takes. If `amountMinor` is undefined, these are all deposits of the assets on the
 * addresses. If it is set, these are the first deposits that make up that amount.
 */
export interface MarkDepositsParams {
  readonly sweepId: string
  readonly addressIds: readonly number[]
  readonly assets: readonly string[]
  readonly amountMinor: bigint | undefined
}

/** Marks confirmed deposits as deposits of a sweep. Returns the share of each merchant. */
export async function markDeposits(tx: Tx, params: MarkDepositsParams): Promise<readonly MerchantShare[]> {
  const rows = await tx.query<ShareRow>(sql`
    with lying as (
      select id, sum(amount_minor) over (order by block_height, block_position, id) - amount_minor as before_minor
      from deposit
      where address_id = any(${[...params.addressIds]}::bigint[]) and asset = any(${[...params.assets]}::text[])
        and sweep_id is null and state = 'confirmed'
    ), marked as (
      update deposit set sweep_id = ${params.sweepId}
      from lying
      where deposit.id = lying.id
        and (${params.amountMinor?.toString() ?? null}::numeric is null or before_minor < ${params.amountMinor?.toString() ?? null}::numeric)
      returning merchant_id, asset, payment_method_id, amount_minor
    )
    select merchant_id, asset, payment_method_id, sum(amount_minor) as amount_minor, count(*)::integer as transactions
    from marked group by merchant_id, asset, payment_method_id order by merchant_id, asset, payment_method_id`)
  return rows.flatMap(toShare)
}

/**
 * Returns the tokens of one network on the addresses of a top-up, summed for each merchant and asset. The coin
 * of the network is left out.
 */
export async function readTokenShares(
  on: Queryable,
  addressIds: readonly number[],
  { network, asset: coinAsset }: { readonly network: string; readonly asset: string },
): Promise<readonly MerchantShare[]> {
  const rows = await on.query<ShareRow>(sql`
    select merchant_id, asset, payment_method_id, sum(amount_minor) as amount_minor, count(*)::integer as transactions
    from deposit
    where address_id = any(${[...addressIds]}::bigint[]) and network = ${network} and sweep_id is null
      and state = 'confirmed' and asset <> ${coinAsset}
    group by merchant_id, asset, payment_method_id order by merchant_id, asset, payment_method_id`)
  return rows.flatMap(toShare)
}

function toShare(row: ShareRow): MerchantShare[] {
  if (row.merchant_id === null) return []
  return [
    {
      merchantId: row.merchant_id,
      asset: row.asset,
      paymentMethodId: row.payment_method_id,
      amountMinor: BigInt(row.amount_minor),
      transactions: row.transactions,
    },
  ]
}

export interface SweptAddress {
  readonly addressId: number
  readonly address: string
  readonly merchantId: string | undefined
}

export async function readSweptAddresses(on: Queryable, sweepId: string): Promise<readonly SweptAddress[]> {
  const rows = await on.query<{ id: number; address: string; merchant_id: string | null }>(sql`
    select address.id, address.address, address.merchant_id
    from swept_address join address on address.id = address_id
    where sweep_id = ${sweepId} order by address.id`)
  return rows.map((row) => ({
    addressId: row.id,
    address: row.address,
    merchantId: row.merchant_id ?? undefined,
  }))
}

/** Locks the deposits that a sweep was planned to take or may have taken. Returns them in chain order. */
export async function lockSweptDeposits(
  tx: Tx,
  { id, assets, block }: Pick<Sweep, 'id' | 'assets' | 'block'>,
): Promise<readonly (SweptDeposit & { readonly invoiceId: string | undefined })[]> {
  const rows = await tx.query<{
    id: string
    address_id: number
    asset: string
    amount_minor: string
    is_there: boolean
    is_marked: boolean
    invoice_id: string | null
  }>(sql`
    select id, address_id, asset, amount_minor, coalesce(block_height <= ${block?.height ?? -1}, false) as is_there,
      sweep_id is not null as is_marked, invoice_id
    from deposit
    where sweep_id = ${id} or (sweep_id is null and asset = any(${[...assets]}::text[]) and address_id in (
      select address_id from swept_address where swept_address.sweep_id = ${id}))
    order by block_height nulls last, block_position nulls last, id
    for update`)
  return rows.map((row) => ({
    depositId: row.id,
    addressId: row.address_id,
    asset: row.asset,
    amountMinor: BigInt(row.amount_minor),
    isThere: row.is_there,
    isMarked: row.is_marked,
    invoiceId: row.invoice_id ?? undefined,
  }))
}

/** Stores how much of the coin a sweep took from each of its addresses. */
export async function saveSweptCoin(
  tx: Tx,
  sweepId: string,
  swept: readonly { readonly addressId: number; readonly amountMinor: bigint }[],
): Promise<void> {
  const rows = swept.map(({ addressId, amountMinor }) => ({ addressId, amountMinor: `${amountMinor}` }))
  await tx.query(sql`
    insert into swept_coin (sweep_id, address_id, amount_minor)
    select ${sweepId}, "addressId", "amountMinor"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row ("addressId" bigint, "amountMinor" numeric)
    on conflict do nothing`)
}

/** Returns the addresses from which a sweep took more coin than the deposits that it took. */
export async function readBeyondDeposits(tx: Tx, sweepId: string, asset: string): Promise<readonly number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select swept.address_id as id from swept_coin swept
    where swept.sweep_id = ${sweepId} and swept.amount_minor > (
      select coalesce(sum(deposit.amount_minor), 0) from deposit
      where deposit.sweep_id = swept.sweep_id and deposit.address_id = swept.address_id and asset = ${asset})
    order by swept.address_id`)
  return rows.map(({ id }) => id)
}

/** Stores, for each deposit, whether the sweep has taken it. */
export async function saveTaken(
  tx: Tx,
  sweepId: string,
  { takenIds, leftIds }: Pick<TakenDeposits, 'takenIds' | 'leftIds'>,
): Promise<void> {
  await tx.query(sql`
    update deposit set sweep_id = case when id = any(${[...takenIds]}::uuid[]) then ${sweepId}::uuid end
    where id = any(${[...takenIds, ...leftIds]}::uuid[])`)
}

/**
 * Unmarks the deposits of a sweep that has ended without taking them. Returns the invoices of these deposits,
 * so that the state of the invoices can be derived again.
 */
export async function unmarkDeposits(tx: Tx, sweepId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ invoice_id: string | null }>(
    sql`update deposit set sweep_id = null where sweep_id = ${sweepId} returning invoice_id`,
  )
  return invoiceIds(rows)
}

/** Returns the invoices whose deposits a sweep takes. */
export async function readSweptInvoices(on: Queryable, sweepId: string): Promise<readonly string[]> {
  const rows = await on.query<{ invoice_id: string | null }>(
    sql`select distinct invoice_id from deposit where sweep_id = ${sweepId}`,
  )
  return invoiceIds(rows)
}

function invoiceIds(rows: readonly { invoice_id: string | null }[]): readonly string[] {
  return [...new Set(rows.flatMap(({ invoice_id }) => invoice_id ?? []))]
}

/** The numbers of deposits of a `collect` invoice: not swept (`left`), in an open sweep, and swept. */
export interface SweptShare {
  readonly invoiceId: string
  /**
   * The number of deposits that are in a block, that no sweep has taken, and that are not marked for a sweep.
   * On a UTXO chain, the number of deposits in a block that is not final yet.
   */
  readonly left: number
  readonly underWay: number
  /**
   * The number of deposits that a final sweep has taken. On a UTXO chain, the number of deposits in a final
   * block, because outputs can be spent without being swept first.
   */
  readonly taken: number
}

/**
 * For each UTXO network, the number of blocks after which a block counts as final, including the block
 * itself.
 */
export type FinalDepths = readonly { readonly network: string; readonly depth: number }[]

/** SQL condition: the deposit is an output in a final block. */
function isFinalOutput(depths: FinalDepths) {
  return sql`exists (
    select from own_output
    join chain_cursor cursor on cursor.network = own_output.network
    join unnest(
      ${depths.map(({ network }) => network)}::text[], ${depths.map(({ depth }) => depth)}::integer[]
    ) as final (network, depth) on final.network = own_output.network
    where own_output.network = deposit.network and own_output.outpoint = deposit.transfer_key
      and deposit.state = 'confirmed' and own_output.height <= cursor.height - final.depth + 1)`
}

/**
 * Returns the numbers of swept and unswept deposits of the given invoices. Invoices of other types than
 * `collect`, and those without deposits in blocks, are left out.
 */
export async function readSweptShares(
  on: Queryable,
  invoiceIds: readonly string[],
  depths: FinalDepths,
): Promise<readonly SweptShare[]> {
  const rows = await on.query<{ invoice_id: string; lying: number; under_way: number; taken: number }>(sql`
    select invoice.id as invoice_id,
      (count(*) filter (where sweep_id is null and not is_final_output))::integer as lying,
      (count(*) filter (where sweep.state not in ('done', 'dropped')))::integer as under_way,
      (count(*) filter (where sweep.state = 'done' or is_final_output))::integer as taken
    from invoice
    join deposit on deposit.invoice_id = invoice.id and block_height is not null
    cross join lateral (select ${isFinalOutput(depths)} as is_final_output) own_output
    left join sweep on sweep.id = sweep_id
    where invoice.id = any(${[...invoiceIds]}::uuid[]) and invoice.type = 'collect'
    group by invoice.id order by invoice.id`)
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    left: row.lying,
    underWay: row.under_way,
    taken: row.taken,
  }))
}

/**
 * Returns `collect` invoices that have ended but are still stored as collecting or sweeping, although nothing
 * is left to do for their deposits. Either sweeps took the deposits before the invoice ended, or the deposits
 * are outputs in final blocks.
 */
export async function findOverCollecting(
  on: Queryable,
  depths: FinalDepths,
  rows: number,
): Promise<readonly string[]> {
  // `materialized` makes PostgreSQL run this query before it applies the order and the limit below. Without
  // it, PostgreSQL would read all invoices in the order of their ids, which takes longer than one scan of the
  // table.
  const found = await on.query<{ id: string }>(sql`
    with ended as materialized (
      select id from invoice
      where type = 'collect' and state <> 'pending'
        and ((collect_state = 'collecting'
            and exists (select from deposit where invoice_id = invoice.id and sweep_id is not null))
          or (collect_state in ('collecting', 'sweeping')
            and exists (select from deposit where invoice_id = invoice.id and ${isFinalOutput(depths)})
            and not exists (
              select from deposit join sweep on sweep.id = sweep_id
              where invoice_id = invoice.id and sweep.state not in ('done', 'dropped'))))
        and not exists (
          select from deposit
          where invoice_id = invoice.id and sweep_id is null and block_height is not null and not ${isFinalOutput(depths)})
    )
    select id from ended order by id limit ${rows}`)
  return found.map(({ id }) => id)
}
