import sql, { type Sql } from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'
import { type OrderedPaging, offsetOf } from './wire.ts'

/** Filters for a list of a merchant's rows; an absent filter matches all rows. */
export interface StateFilter<State extends string> {
  readonly merchantId: string
  readonly states?: readonly State[] | undefined
}

/**
 * Reads one page of a merchant's rows, and the number of all matching rows. Rows with equal values in the
 * sorted column are ordered by id.
 * @param from a table with the columns merchant_id, state, created_at, amount and id
 */
export async function readPageByState<Row extends object, State extends string>(
  on: Queryable,
  from: { readonly table: Sql; readonly columns: Sql },
  { merchantId, states = [] }: StateFilter<State>,
  paging: OrderedPaging<'createdAt' | 'amount'>,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const where =
    states.length === 0
      ? sql`merchant_id = ${merchantId}`
      : sql`merchant_id = ${merchantId} and state = any(${[...states]})`
  const column = paging.orderBy === 'amount' ? sql`amount` : sql`created_at`
  const direction = paging.order === 'asc' ? sql`asc` : sql`desc`
  const rows = await on.query<Row>(sql`
    select ${from.columns} from ${from.table} where ${where}
    order by ${column} ${direction}, id ${direction}
    limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from ${from.table} where ${where}`,
  )
  return { rows, total: counted?.total ?? 0 }
}
