import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../platform/http/wire.ts'
import type { TakeOutSource } from './own-money.ts'
import type { TakeOut, TakeOutState } from './take-out.ts'

interface TakeOutRow {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly payment_method_id: number
  readonly source: TakeOutSource
  readonly amount_minor: string
  readonly state: TakeOutState
  readonly tx_hash: string | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

const columns = sql`id, network, asset, payment_method_id, source, amount_minor, state, tx_hash, created_at, ended_at`

export type NewTakeOut = Pick<
  TakeOut,
  'id' | 'network' | 'asset' | 'paymentMethodId' | 'source' | 'amountMinor'
>

/** Stores an order; one of that id that is there already stays as it is. */
export async function insertTakeOut(tx: Tx, wanted: NewTakeOut): Promise<TakeOut> {
  const { id, network, asset, paymentMethodId, source, amountMinor } = wanted
  await tx.query(sql`
    insert into take_out (id, network, asset, payment_method_id, source, amount_minor)
    values (${id}, ${network}, ${asset}, ${paymentMethodId}, ${source}, ${amountMinor.toString()})
    on conflict (id) do nothing`)
  return required(await findTakeOut(tx, id), 'an order that was just stored')
}

export async function findTakeOut(on: Queryable, id: string): Promise<TakeOut | undefined> {
  const row = await one<TakeOutRow>(on, sql`select ${columns} from take_out where id = ${id}`)
  return row === undefined ? undefined : toTakeOut(row)
}

export async function lockPending(tx: Tx, ids: readonly string[]): Promise<readonly TakeOut[]> {
  const rows = await tx.query<TakeOutRow>(sql`
    select ${columns} from take_out where id = any(${[...ids]}::uuid[]) and state = 'pending' order by id for update`)
  return rows.map(toTakeOut)
}

/** Those for which no transaction has its place yet, the oldest first; one that was refused has its own time. */
export async function readUnplanned(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly TakeOut[]> {
  const rows = await on.query<TakeOutRow>(sql`
    select ${columns} from take_out
    where network = ${network} and state = 'pending'
      and not exists (select from payout where payout.id = take_out.id)
      and not exists (select from payout_refusal where payout_id = take_out.id)
    order by created_at, id limit ${max}`)
  return rows.map(toTakeOut)
}

/** The oldest pending order of an amount for which nothing was signed. */
export async function findUnsigned(
  on: Queryable,
  { network, asset, amountMinor }: Pick<TakeOut, 'network' | 'asset' | 'amountMinor'>,
): Promise<TakeOut | undefined> {
  const row = await one<TakeOutRow>(
    on,
    sql`
    select ${columns} from take_out
    where network = ${network} and asset = ${asset} and amount_minor = ${amountMinor.toString()}::numeric
      and state = 'pending'
      and not exists (select from payout where payout.id = take_out.id and payout.state <> 'planned')
    order by created_at, id limit 1`,
  )
  return row === undefined ? undefined : toTakeOut(row)
}

export async function saveTxHash(tx: Tx, id: string, txHash: string): Promise<void> {
  await tx.query(sql`update take_out set tx_hash = ${txHash} where id = ${id} and state = 'pending'`)
}

export async function endTakeOut(
  tx: Tx,
  id: string,
  { state, txHash }: { readonly state: 'completed' | 'failed'; readonly txHash: string | undefined },
): Promise<void> {
  await tx.query(sql`
    update take_out set state = ${state}, tx_hash = coalesce(${txHash ?? null}, tx_hash), ended_at = now()
    where id = ${id} and state = 'pending'`)
}

export async function reopenTakeOut(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update take_out set state = 'pending', ended_at = null where id = ${id} and state = 'failed'`)
}

/** The latest first. */
export async function listTakeOuts(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly takeOuts: readonly TakeOut[]; readonly total: number }> {
  const rows = await on.query<TakeOutRow>(sql`
    select ${columns} from take_out order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from take_out`)
  return { takeOuts: rows.map(toTakeOut), total: counted?.total ?? 0 }
}

function toTakeOut(row: TakeOutRow): TakeOut {
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
