/** Stores merchant sweeps. A merchant sweep is one merchant's share of a sweep. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readPageByState, type StateFilter } from '../../platform/http/state-page-store.ts'
import type { OrderedPaging } from '../../platform/http/wire.ts'
import type { MerchantSweep, MerchantSweepState } from './sweep.ts'

interface MerchantSweepRow {
  readonly id: string
  readonly merchant_id: string
  readonly payment_method_id: number
  readonly amount_minor: string
  readonly transactions: number
  readonly state: MerchantSweepState
  readonly tx_hash: string | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

const columns = sql`id, merchant_id, payment_method_id, amount_minor, transactions, state, tx_hash, created_at, ended_at`

export interface NewMerchantSweep {
  readonly id: string
  readonly merchantId: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** The amount in whole units of the asset. */
  readonly amount: string
  readonly transactions: number
  readonly state: 'planned' | 'funding'
  readonly sweepId: string | undefined
  readonly fundingId: string | undefined
}

export async function insertMerchantSweeps(
  tx: Tx,
  merchantSweeps: readonly NewMerchantSweep[],
): Promise<void> {
  if (merchantSweeps.length === 0) return
  const rows = merchantSweeps.map((one) => ({ ...one, amountMinor: one.amountMinor.toString() }))
  await tx.query(sql`
    insert into merchant_sweep (id, merchant_id, network, asset, payment_method_id, amount_minor, amount, transactions,
                            state, sweep_id, funding_id)
    select id, "merchantId", network, asset, "paymentMethodId", "amountMinor", amount, transactions, state, "sweepId",
      "fundingId"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, "merchantId" uuid, network text, asset text, "paymentMethodId" integer, "amountMinor" numeric,
        amount numeric, transactions integer, state text, "sweepId" uuid, "fundingId" uuid)`)
}

/**
 * Assigns merchant sweeps that waited for a top-up to the sweep that takes their deposits.
 * @returns whether there were any such merchant sweeps
 */
export async function adoptFunded(
  tx: Tx,
  {
    sweepId,
    addressIds,
    assets,
  }: { sweepId: string; addressIds: readonly number[]; assets: readonly string[] },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update merchant_sweep set sweep_id = ${sweepId}
    where state = 'funding' and sweep_id is null and asset = any(${[...assets]}::text[]) and funding_id in (
      select sweep_id from swept_address where address_id = any(${[...addressIds]}::bigint[]))
    returning id`)
  return rows.length > 0
}

export async function markSweeping(tx: Tx, sweepId: string, txHash: string): Promise<void> {
  await tx.query(sql`
    update merchant_sweep set state = 'sweeping', tx_hash = ${txHash}
    where sweep_id = ${sweepId} and state in ('planned', 'funding', 'sweeping')`)
}

/**
 * Locks and returns the merchant sweeps of a sweep that have not ended. `sweepId` is the id of the sweep, or
 * of the top-up that was to pay for the sweep.
 */
export async function lockOpen(tx: Tx, sweepId: string): Promise<readonly MerchantSweep[]> {
  const rows = await tx.query<MerchantSweepRow>(sql`
    select ${columns} from merchant_sweep
    where (sweep_id = ${sweepId} or (funding_id = ${sweepId} and sweep_id is null)) and ended_at is null
    order by id for update`)
  return rows.map(toMerchantSweep)
}

/**
 * The result of a merchant sweep that has ended. Fields that are left out are not changed in the database.
 */
export interface MerchantSweepEnd {
  readonly id: string
  readonly state: 'completed' | 'blocked'
  /** The amount that was taken, in the smallest unit and in whole units, and the number of deposits. */
  readonly taken?: { readonly amountMinor: bigint; readonly amount: string; readonly transactions: number }
  readonly txHash?: string | undefined
}

/** Ends merchant sweeps. Returns the time of the end, by the database's clock. */
export async function saveEnds(tx: Tx, ends: readonly MerchantSweepEnd[]): Promise<Date> {
  const rows = ends.map(({ id, state, taken, txHash }) => ({
    id,
    state,
    txHash,
    amount: taken?.amount,
    transactions: taken?.transactions,
    amountMinor: taken?.amountMinor.toString(),
  }))
  const saved = await tx.query<{ ended_at: Date }>(sql`
    update merchant_sweep
    set state = ended.state, amount_minor = coalesce(ended."amountMinor", amount_minor),
      amount = coalesce(ended.amount, merchant_sweep.amount),
      transactions = coalesce(ended.transactions, merchant_sweep.transactions),
      tx_hash = coalesce(ended."txHash", tx_hash), ended_at = coffer_now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as ended (id uuid, state text, "amountMinor" numeric, amount numeric, transactions integer, "txHash" text)
    where merchant_sweep.id = ended.id
    returning ended_at`)
  return saved[0]?.ended_at ?? new Date(0)
}

/** Returns one page of a merchant's sweeps, and the total number of sweeps that match the filter. */
export async function listSweeps(
  on: Queryable,
  filter: StateFilter<MerchantSweepState>,
  paging: OrderedPaging<'createdAt' | 'amount'>,
): Promise<{ merchantSweeps: readonly MerchantSweep[]; total: number }> {
  const from = { table: sql`merchant_sweep`, columns: columns }
  const { rows, total } = await readPageByState<MerchantSweepRow, MerchantSweepState>(
    on,
    from,
    filter,
    paging,
  )
  return { merchantSweeps: rows.map(toMerchantSweep), total }
}

function toMerchantSweep(row: MerchantSweepRow): MerchantSweep {
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
