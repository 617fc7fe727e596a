import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../platform/http/wire.ts'
import type { TreasuryWithdrawalSource } from './own-money.ts'
import type { TreasuryWithdrawal, TreasuryWithdrawalState } from './treasury-withdrawal.ts'

interface TreasuryWithdrawalRow {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly payment_method_id: number
  readonly source: TreasuryWithdrawalSource
  readonly amount_minor: string
  readonly state: TreasuryWithdrawalState
  readonly tx_hash: string | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

const columns = sql`id, network, asset, payment_method_id, source, amount_minor, state, tx_hash, created_at, ended_at`

export type NewTreasuryWithdrawal = Pick<
  TreasuryWithdrawal,
  'id' | 'network' | 'asset' | 'paymentMethodId' | 'source' | 'amountMinor'
>

/**
 * Stores an order for a treasury withdrawal. If the id exists already, the stored order stays unchanged and
 * is returned.
 */
export async function insertTreasuryWithdrawal(
  tx: Tx,
  wanted: NewTreasuryWithdrawal,
): Promise<TreasuryWithdrawal> {
  const { id, network, asset, paymentMethodId, source, amountMinor } = wanted
  await tx.query(sql`
    insert into treasury_withdrawal (id, network, asset, payment_method_id, source, amount_minor)
    values (${id}, ${network}, ${asset}, ${paymentMethodId}, ${source}, ${amountMinor.toString()})
    on conflict (id) do nothing`)
  return required(await findTreasuryWithdrawal(tx, id), 'an order that was just stored')
}

export async function findTreasuryWithdrawal(
  on: Queryable,
  id: string,
): Promise<TreasuryWithdrawal | undefined> {
  const row = await one<TreasuryWithdrawalRow>(
    on,
    sql`select ${columns} from treasury_withdrawal where id = ${id}`,
  )
  return row === undefined ? undefined : toTreasuryWithdrawal(row)
}

export async function lockPending(tx: Tx, ids: readonly string[]): Promise<readonly TreasuryWithdrawal[]> {
  const rows = await tx.query<TreasuryWithdrawalRow>(sql`
    select ${columns} from treasury_withdrawal where id = any(${[...ids]}::uuid[]) and state = 'pending' order by id for update`)
  return rows.map(toTreasuryWithdrawal)
}

/**
 * Returns pending orders that have no outgoing transaction, oldest first. Refused orders are left out,
 * because the engine retries them on a schedule of their own.
 */
export async function readUnplanned(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly TreasuryWithdrawal[]> {
  const rows = await on.query<TreasuryWithdrawalRow>(sql`
    select ${columns} from treasury_withdrawal
    where network = ${network} and state = 'pending'
      and not exists (select from outgoing_transaction where outgoing_transaction.id = treasury_withdrawal.id)
      and not exists (select from outgoing_refusal where outgoing_transaction_id = treasury_withdrawal.id)
    order by created_at, id limit ${max}`)
  return rows.map(toTreasuryWithdrawal)
}

/** Returns the oldest pending order of this amount for which nothing was signed. */
export async function findUnsigned(
  on: Queryable,
  { network, asset, amountMinor }: Pick<TreasuryWithdrawal, 'network' | 'asset' | 'amountMinor'>,
): Promise<TreasuryWithdrawal | undefined> {
  const row = await one<TreasuryWithdrawalRow>(
    on,
    sql`
    select ${columns} from treasury_withdrawal
    where network = ${network} and asset = ${asset} and amount_minor = ${amountMinor.toString()}::numeric
      and state = 'pending'
      and not exists (select from outgoing_transaction where outgoing_transaction.id = treasury_withdrawal.id and outgoing_transaction.state <> 'planned')
    order by created_at, id limit 1`,
  )
  return row === undefined ? undefined : toTreasuryWithdrawal(row)
}

export async function saveTxHash(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(
    sql`update treasury_withdrawal set tx_hash = ${txHash} where id = ${id} and state = 'pending'`,
  )
}

export async function endTreasuryWithdrawal(
  tx: Tx,
  id: string,
  { state, txHash }: { readonly state: 'completed' | 'failed'; readonly txHash: string | undefined },
): Promise<void> {
  await tx.query(sql`
    update treasury_withdrawal set state = ${state}, tx_hash = coalesce(${txHash ?? null}, tx_hash), ended_at = coffer_now()
    where id = ${id} and state = 'pending'`)
}

export async function reopenTreasuryWithdrawal(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update treasury_withdrawal set state = 'pending', ended_at = null where id = ${id} and state = 'failed'`)
}

/** Lists treasury withdrawals, latest first. */
export async function listTreasuryWithdrawals(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly treasuryWithdrawals: readonly TreasuryWithdrawal[]; readonly total: number }> {
  const rows = await on.query<TreasuryWithdrawalRow>(sql`
    select ${columns} from treasury_withdrawal order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from treasury_withdrawal`)
  return { treasuryWithdrawals: rows.map(toTreasuryWithdrawal), total: counted?.total ?? 0 }
}

function toTreasuryWithdrawal(row: TreasuryWithdrawalRow): TreasuryWithdrawal {
  return {
    id: row.id,
    network: row.network,
    asset: row.asset,
    paymentMethodId: row.payment_method_id,
    source: row.source,
    amountMinor: BigInt(row.amount_minor),
    state: row.state,
    txHash: row.tx_hash ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  }
}
