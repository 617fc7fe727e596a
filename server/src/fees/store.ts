import sql from 'sql-template-tag'
import type { Queryable } from '../db/pool.ts'
import type { FeeSchedule, FeeType } from './fee.ts'

export interface ScheduleKey {
  readonly merchantId: string
  /** Absent: the structure that holds where no method is named. */
  readonly paymentMethodId?: number | undefined
  readonly type: FeeType
}

interface ScheduleRow {
  readonly place: number
  readonly percent_basis_points: number
  readonly flat_minor: string | null
  readonly flat_usd: string | null
}

/**
 * The stored schedule for each key, in their order, in one query: of merchant and method, else of the merchant,
 * else of the method, else the default. Undefined where none is stored at all.
 */
export async function schedulesFor(
  on: Queryable,
  keys: readonly ScheduleKey[],
): Promise<readonly (FeeSchedule | undefined)[]> {
  const rows = await on.query<ScheduleRow>(sql`
    select key.place::integer, schedule.percent_basis_points, schedule.flat_minor, schedule.flat_usd
    from unnest(
      ${keys.map((key) => key.merchantId)}::uuid[],
      ${keys.map((key) => key.paymentMethodId ?? null)}::integer[],
      ${keys.map((key) => key.type)}::text[]
    ) with ordinality as key (merchant_id, payment_method_id, type, place)
    cross join lateral (
      select * from fee_schedule
      where type = key.type
        and (merchant_id = key.merchant_id or merchant_id is null)
        and (payment_method_id = key.payment_method_id or payment_method_id is null)
      order by merchant_id is null, payment_method_id is null
      limit 1
    ) schedule`)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return keys.map((key, index) => {
    const row = byPlace.get(index + 1)
    return row === undefined ? undefined : toSchedule(key.type, row)
  })
}

function toSchedule(type: FeeType, row: ScheduleRow): FeeSchedule {
  const flat =
    row.flat_minor === null ? { usd: BigInt(row.flat_usd ?? 0) } : { minor: BigInt(row.flat_minor) }
  return { type, percentBasisPoints: row.percent_basis_points, flat }
}
