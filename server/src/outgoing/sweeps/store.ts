import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readPageByState, type StateFilter } from '../../platform/http/state-page-store.ts'
import type { OrderedPaging } from '../../platform/http/wire.ts'
import type { Collection, CollectionState } from './sweep.ts'

interface CollectionRow {
  readonly id: string
  readonly merchant_id: string
  readonly payment_method_id: number
  readonly amount_minor: string
  readonly transactions: number
  readonly state: CollectionState
  readonly tx_hash: string | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

const columns = sql`id, merchant_id, payment_method_id, amount_minor, transactions, state, tx_hash, created_at, ended_at`

/** What a new collection is made of. */
export interface NewCollection {
  readonly id: string
  readonly merchantId: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** In whole units. */
  readonly amount: string
  readonly transactions: number
  readonly state: 'planned' | 'funding'
  readonly sweepId: string | undefined
  readonly fundingId: string | undefined
}

export async function insertCollections(tx: Tx, collections: readonly NewCollection[]): Promise<void> {
  if (collections.length === 0) return
  const rows = collections.map((one) => ({ ...one, amountMinor: one.amountMinor.toString() }))
  await tx.query(sql`
    insert into collection (id, merchant_id, network, asset, payment_method_id, amount_minor, amount, transactions,
                            state, sweep_id, funding_id)
    select id, "merchantId", network, asset, "paymentMethodId", "amountMinor", amount, transactions, state, "sweepId",
      "fundingId"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, "merchantId" uuid, network text, asset text, "paymentMethodId" integer, "amountMinor" numeric,
        amount numeric, transactions integer, state text, "sweepId" uuid, "fundingId" uuid)`)
}

/** Gives what waited for coin the sweep that takes it; whether there was any. */
export async function adoptFunded(
  tx: Tx,
  {
    sweepId,
    addressIds,
    assets,
  }: { sweepId: string; addressIds: readonly number[]; assets: readonly string[] },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update collection set sweep_id = ${sweepId}
    where state = 'funding' and sweep_id is null and asset = any(${[...assets]}::text[]) and funding_id in (
      select sweep_id from swept_address where address_id = any(${[...addressIds]}::bigint[]))
    returning id`)
  return rows.length > 0
}

export async function markSweeping(tx: Tx, sweepId: string, txHash: string): Promise<void> {
  await tx.query(sql`
    update collection set state = 'sweeping', tx_hash = ${txHash}
    where sweep_id = ${sweepId} and state in ('planned', 'funding', 'sweeping')`)
}

/** Those of a sweep, or of the top-up that was to pay for one, that have not ended, locked. */
export async function lockOpen(tx: Tx, sweepId: string): Promise<readonly Collection[]> {
  const rows = await tx.query<CollectionRow>(sql`
    select ${columns} from collection
    where (sweep_id = ${sweepId} or (funding_id = ${sweepId} and sweep_id is null)) and ended_at is null
    order by id for update`)
  return rows.map(toCollection)
}

/** How a collection ended; what is left out stays as it was. */
export interface CollectionEnd {
  readonly id: string
  readonly state: 'completed' | 'blocked'
  /** What was taken, and in whole units, and of how many deposits. */
  readonly taken?: { readonly amountMinor: bigint; readonly amount: string; readonly transactions: number }
  readonly txHash?: string | undefined
}

/** Ends collections; returns the database's time. */
export async function saveEnds(tx: Tx, ends: readonly CollectionEnd[]): Promise<Date> {
  const rows = ends.map(({ id, state, taken, txHash }) => ({
    id,
    state,
    txHash,
    amount: taken?.amount,
    transactions: taken?.transactions,
    amountMinor: taken?.amountMinor.toString(),
  }))
  const saved = await tx.query<{ ended_at: Date }>(sql`
    update collection
    set state = ended.state, amount_minor = coalesce(ended."amountMinor", amount_minor),
      amount = coalesce(ended.amount, collection.amount),
      transactions = coalesce(ended.transactions, collection.transactions),
      tx_hash = coalesce(ended."txHash", tx_hash), ended_at = now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as ended (id uuid, state text, "amountMinor" numeric, amount numeric, transactions integer, "txHash" text)
    where collection.id = ended.id
    returning ended_at`)
  return saved[0]?.ended_at ?? new Date(0)
}

/** One page of a merchant's collections and how many match in all. */
export async function listCollections(
  on: Queryable,
  filter: StateFilter<CollectionState>,
  paging: OrderedPaging<'createdAt' | 'amount'>,
): Promise<{ collections: readonly Collection[]; total: number }> {
  const from = { table: sql`collection`, columns: columns }
  const { rows, total } = await readPageByState<CollectionRow, CollectionState>(on, from, filter, paging)
  return { collections: rows.map(toCollection), total }
}

function toCollection(row: CollectionRow): Collection {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    paymentMethodId: row.payment_method_id,
    amountMinor: BigInt(row.amount_minor),
    transactions: row.transactions,
    state: row.state,
    txHash: row.tx_hash ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  }
}
