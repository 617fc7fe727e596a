import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Sweep } from './sweep-store.ts'
import type { SweptDeposit, TakenDeposits } from './taken.ts'

/** What a sweep takes, or a top-up is for, of one merchant in one asset. */
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

/** What a sweep takes: everything of some assets on some addresses, or the first deposits that make up an amount. */
export interface MarkWish {
  readonly sweepId: string
  readonly addressIds: readonly number[]
  readonly assets: readonly string[]
  readonly amountMinor: bigint | undefined
}

/** Marks confirmed deposits as taken by a sweep; whose they are. */
export async function markDeposits(tx: Tx, wish: MarkWish): Promise<readonly MerchantShare[]> {
  const rows = await tx.query<ShareRow>(sql`
    with lying as (
      select id, sum(amount_minor) over (order by block_height, block_place, id) - amount_minor as before_minor
      from transaction
      where address_id = any(${[...wish.addressIds]}::bigint[]) and asset = any(${[...wish.assets]}::text[])
        and sweep_id is null and state = 'confirmed'
    ), marked as (
      update transaction set sweep_id = ${wish.sweepId}
      from lying
      where transaction.id = lying.id
        and (${wish.amountMinor?.toString() ?? null}::numeric is null or before_minor < ${wish.amountMinor?.toString() ?? null}::numeric)
      returning merchant_id, asset, payment_method_id, amount_minor
    )
    select merchant_id, asset, payment_method_id, sum(amount_minor) as amount_minor, count(*)::integer as transactions
    from marked group by merchant_id, asset, payment_method_id order by merchant_id, asset`)
  return rows.flatMap(toShare)
}

/** What lies on an address in tokens of a network: what a top-up of it is for. */
export async function readTokenShares(
  on: Queryable,
  addressIds: readonly number[],
  coinAsset: string,
): Promise<readonly MerchantShare[]> {
  const rows = await on.query<ShareRow>(sql`
    select merchant_id, asset, payment_method_id, sum(amount_minor) as amount_minor, count(*)::integer as transactions
    from transaction
    where address_id = any(${[...addressIds]}::bigint[]) and sweep_id is null and state = 'confirmed'
      and asset <> ${coinAsset}
    group by merchant_id, asset, payment_method_id order by merchant_id, asset`)
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

/** The deposits that a sweep was to take or may have taken, in the order of the chain, locked. */
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
    from transaction
    where sweep_id = ${id} or (sweep_id is null and asset = any(${[...assets]}::text[]) and address_id in (
      select address_id from swept_address where swept_address.sweep_id = ${id}))
    order by block_height nulls last, block_place nulls last, id
    for update`)
  return rows.map((row) => ({
    transactionId: row.id,
    addressId: row.address_id,
    asset: row.asset,
    amountMinor: BigInt(row.amount_minor),
    isThere: row.is_there,
    isMarked: row.is_marked,
    invoiceId: row.invoice_id ?? undefined,
  }))
}

/** Says of each deposit whether the sweep has it. */
export async function saveTaken(
  tx: Tx,
  sweepId: string,
  { takenIds, leftIds }: Pick<TakenDeposits, 'takenIds' | 'leftIds'>,
): Promise<void> {
  await tx.query(sql`
    update transaction set sweep_id = case when id = any(${[...takenIds]}::uuid[]) then ${sweepId}::uuid end
    where id = any(${[...takenIds, ...leftIds]}::uuid[])`)
}

/** Gives a sweep's deposits back: they lie where they lay. The invoices they belong to. */
export async function unmarkDeposits(tx: Tx, sweepId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ invoice_id: string | null }>(
    sql`update transaction set sweep_id = null where sweep_id = ${sweepId} returning invoice_id`,
  )
  return invoiceIds(rows)
}

/** The invoices whose deposits a sweep takes. */
export async function readSweptInvoices(on: Queryable, sweepId: string): Promise<readonly string[]> {
  const rows = await on.query<{ invoice_id: string | null }>(
    sql`select distinct invoice_id from transaction where sweep_id = ${sweepId}`,
  )
  return invoiceIds(rows)
}

function invoiceIds(rows: readonly { invoice_id: string | null }[]): readonly string[] {
  return [...new Set(rows.flatMap(({ invoice_id }) => invoice_id ?? []))]
}

/** How far the deposits of a `collect` invoice have come. */
export interface CollectedShare {
  readonly invoiceId: string
  /** In a block, and no sweep has them or is to take them; where money lies in coins, in one that may still go. */
  readonly left: number
  readonly underWay: number
  /** By a sweep, or as coins, which are spent from where they lie, in blocks that stay. */
  readonly taken: number
}

/** Blocks, its own counted, after which one of a network is taken as final, where money lies in coins. */
export type CoinDepths = readonly { readonly network: string; readonly depth: number }[]

/** Whether a deposit is a coin in a block that stays. */
function isFinalCoin(depths: CoinDepths) {
  return sql`exists (
    select from coin
    join chain_cursor cursor on cursor.network = coin.network
    join unnest(
      ${depths.map(({ network }) => network)}::text[], ${depths.map(({ depth }) => depth)}::integer[]
    ) as final (network, depth) on final.network = coin.network
    where coin.network = transaction.network and coin.outpoint = transaction.transfer_key
      and transaction.state = 'confirmed' and coin.height <= cursor.height - final.depth + 1)`
}

/** Of those among some invoices that are `collect` invoices and were paid anything. */
export async function readCollectedShares(
  on: Queryable,
  invoiceIds: readonly string[],
  depths: CoinDepths,
): Promise<readonly CollectedShare[]> {
  const rows = await on.query<{ invoice_id: string; lying: number; under_way: number; taken: number }>(sql`
    select invoice.id as invoice_id,
      (count(*) filter (where sweep_id is null and not is_final_coin))::integer as lying,
      (count(*) filter (where sweep.state not in ('done', 'dropped')))::integer as under_way,
      (count(*) filter (where sweep.state = 'done' or is_final_coin))::integer as taken
    from invoice
    join transaction on transaction.invoice_id = invoice.id and block_height is not null
    cross join lateral (select ${isFinalCoin(depths)} as is_final_coin) coin
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
 * `collect` invoices that are over and still collect though nothing is left to do for their deposits: sweeps have been at
 * them before they ended, or they are coins in blocks that stay.
 */
export async function findOverCollecting(
  on: Queryable,
  depths: CoinDepths,
  rows: number,
): Promise<readonly string[]> {
  const found = await on.query<{ id: string }>(sql`
    select id from invoice
    where type = 'collect' and state <> 'pending'
      and ((collect_state = 'collecting'
          and exists (select from transaction where invoice_id = invoice.id and sweep_id is not null))
        or (collect_state in ('collecting', 'sweeping')
          and exists (select from transaction where invoice_id = invoice.id and ${isFinalCoin(depths)})
          and not exists (
            select from transaction join sweep on sweep.id = sweep_id
            where invoice_id = invoice.id and sweep.state not in ('done', 'dropped'))))
      and not exists (
        select from transaction
        where invoice_id = invoice.id and sweep_id is null and block_height is not null and not ${isFinalCoin(depths)})
    limit ${rows}`)
  return found.map(({ id }) => id)
}
