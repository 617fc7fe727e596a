import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../platform/http/wire.ts'
import type { FeeSchedule, FeeType } from './fee.ts'

export interface ScheduleKey {
  readonly merchantId: string
  /** The payment method. If undefined, only schedules that apply to all payment methods match. */
  readonly paymentMethodId?: number | undefined
  readonly type: FeeType
}

interface ScheduleRow {
  readonly ordinal: number
  readonly percent_basis_points: number
  readonly flat_minor: string | null
  readonly flat_usd: string | null
}

/**
 * Returns the stored schedule for each key, in the order of the keys, with one query. The first schedule that
 * exists in this order applies: for the merchant and the method, for the merchant, for the method, for all.
 * An item is undefined if no schedule matches.
 */
export async function schedulesFor(
  on: Queryable,
  keys: readonly ScheduleKey[],
): Promise<readonly (FeeSchedule | undefined)[]> {
  const rows = await on.query<ScheduleRow>(sql`
    select key.ordinal::integer, schedule.percent_basis_points, schedule.flat_minor, schedule.flat_usd
    from unnest(
      ${keys.map((key) => key.merchantId)}::uuid[],
      ${keys.map((key) => key.paymentMethodId ?? null)}::integer[],
      ${keys.map((key) => key.type)}::text[]
    ) with ordinality as key (merchant_id, payment_method_id, type, ordinal)
    cross join lateral (
      select * from fee_schedule
      where type = key.type
        and (merchant_id = key.merchant_id or merchant_id is null)
        and (payment_method_id = key.payment_method_id or payment_method_id is null)
      order by merchant_id is null, payment_method_id is null
      limit 1
    ) schedule`)
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((key, index) => {
    const row = byOrdinal.get(index + 1)
    return row === undefined ? undefined : toSchedule(key.type, row)
  })
}

/**
 * A schedule as operators see it. Without a merchant the schedule applies to all merchants, and without a
 * method to all methods.
 */
export interface StoredSchedule {
  readonly merchantId: string | undefined
  readonly paymentMethodId: number | undefined
  readonly schedule: FeeSchedule
}

/** The merchants, methods and type that a stored schedule applies to. */
export type ScheduleTarget = Pick<StoredSchedule, 'merchantId' | 'paymentMethodId'> & {
  readonly type: FeeType
}

type TargetedRow = Omit<ScheduleRow, 'ordinal'> & {
  readonly type: FeeType
  readonly merchant_id: string | null
  readonly payment_method_id: number | null
}

/**
 * Lists the stored schedules of one merchant, or all stored schedules if no merchant is given. Schedules
 * without a merchant come first, because they apply to every merchant.
 */
export async function listSchedules(
  on: Queryable,
  merchantId: string | undefined,
  paging: Paging,
): Promise<{ readonly schedules: readonly StoredSchedule[]; readonly total: number }> {
  const rows = await on.query<TargetedRow>(sql`
    select type, merchant_id, payment_method_id, percent_basis_points, flat_minor, flat_usd from fee_schedule
    where ${merchantId ?? null}::uuid is null or merchant_id = ${merchantId ?? null}
    order by merchant_id nulls first, payment_method_id nulls first, type
    limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*)::integer as total from fee_schedule
        where ${merchantId ?? null}::uuid is null or merchant_id = ${merchantId ?? null}`,
  )
  return { schedules: rows.map(toStored), total: counted?.total ?? 0 }
}

/** Returns the schedule stored for exactly this target and locks its row. */
export async function lockSchedule(tx: Tx, target: ScheduleTarget): Promise<StoredSchedule | undefined> {
  const row = await one<TargetedRow>(
    tx,
    sql`select type, merchant_id, payment_method_id, percent_basis_points, flat_minor, flat_usd
        from fee_schedule where ${isTarget(target)} for update`,
  )
  return row === undefined ? undefined : toStored(row)
}

/**
 * Inserts a schedule. If a schedule with the same target exists, only its terms are replaced.
 * @param id The id for a new row; an existing row keeps its id.
 */
export async function saveSchedule(
  tx: Tx,
  id: string,
  { merchantId, paymentMethodId, schedule }: StoredSchedule,
): Promise<void> {
  const { type, percentBasisPoints, flat } = schedule
  const flatMinor = 'minor' in flat ? flat.minor.toString() : null
  const flatUsd = 'usd' in flat ? flat.usd.toString() : null
  await tx.query(sql`
    insert into fee_schedule (id, merchant_id, payment_method_id, type, percent_basis_points, flat_minor, flat_usd)
    values (${id}, ${merchantId ?? null}, ${paymentMethodId ?? null}, ${type}, ${percentBasisPoints}, ${flatMinor},
            ${flatUsd})
    on conflict on constraint fee_schedule_unique do update
    set percent_basis_points = excluded.percent_basis_points, flat_minor = excluded.flat_minor,
        flat_usd = excluded.flat_usd`)
}

export async function deleteSchedule(tx: Tx, target: ScheduleTarget): Promise<void> {
  await tx.query(sql`delete from fee_schedule where ${isTarget(target)}`)
}

function isTarget({ merchantId, paymentMethodId, type }: ScheduleTarget) {
  return sql`type = ${type} and merchant_id is not distinct from ${merchantId ?? null}
    and payment_method_id is not distinct from ${paymentMethodId ?? null}`
}

function toStored(row: TargetedRow): StoredSchedule {
  return {
    merchantId: row.merchant_id ?? undefined,
    paymentMethodId: row.payment_method_id ?? undefined,
    schedule: toSchedule(row.type, row),
  }
}

function toSchedule(
  type: FeeType,
  row: Pick<ScheduleRow, 'percent_basis_points' | 'flat_minor' | 'flat_usd'>,
): FeeSchedule {
  const flat =
    row.flat_minor === null ? { usd: BigInt(row.flat_usd ?? 0) } : { minor: BigInt(row.flat_minor) }
  return { type, percentBasisPoints: row.percent_basis_points, flat }
}
