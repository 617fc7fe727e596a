import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type OrderedPaging, offsetOf } from '../../../platform/http/wire.ts'
import type { Deposit } from '../deposit.ts'
import { type DepositRow, depositColumns, isShownToMerchant, toDeposit } from '../store.ts'
import { picksOf, totalOf } from './count-store.ts'
import type { DepositFilter } from './list-filter.ts'

export type DepositPaging = OrderedPaging<'createdAt' | 'amount' | 'confirmedAt'>

/**
 * Returns one page of a merchant's deposits and the number of all deposits that match, both from one
 * snapshot. Deposits of deleted invoices are neither listed nor counted. Deposits with equal sort keys are
 * sorted by id. A list sorted by `confirmedAt` ends with the unconfirmed deposits, in both directions.
 */
export async function listDeposits(
  on: Queryable,
  filter: DepositFilter,
  paging: DepositPaging,
): Promise<{ deposits: readonly Deposit[]; total: number }> {
  const where = matching(filter)
  const { text, values } = sql`
    with page as (${pageOf(where, paging)})
    select total, ${depositColumns}
    from (select ${countOf(filter)} as total) counted
    left join (page join deposit using (id)) on true
    order by page.ordinal`
  const rows = await on.query<DepositRow & { total: number }>({ text, values })
  // A page beyond the last page gives one row that has only the total.
  return { deposits: rows.filter(({ id }) => id !== null).map(toDeposit), total: rows[0]?.total ?? 0 }
}

/**
 * Returns SQL for the number of matching deposits. If the filter names invoices, the deposits themselves are
 * counted, because an invoice usually has few.
 */
function countOf(filter: DepositFilter): Sql {
  return filter.invoiceIds === undefined
    ? sql`(${totalOf(filter)})::bigint`
    : sql`(select count(*) from deposit where ${matching(filter)})`
}

/**
 * Returns SQL for one page. If the order is `confirmedAt`, rows without that time are read separately. Each
 * of the two parts is then one range of an index.
 */
function pageOf(where: Sql, paging: DepositPaging): Sql {
  const until = offsetOf(paging) + paging.limit
  const run = (part: number, key: string, more = '') => sql`
    (select id, ${raw(String(part))} as part, row_number() over (order by ${raw(orderOf(paging, key))}) as rank
     from deposit where ${where} ${raw(more)} order by ${raw(orderOf(paging, key))} limit ${raw(String(until))})`
  const runs = {
    createdAt: () => run(1, 'created_at'),
    amount: () => run(1, 'amount'),
    confirmedAt: () => sql`
      ${run(1, 'confirmed_at', 'and confirmed_at is not null')}
      union all ${run(2, 'created_at', 'and confirmed_at is null')}`,
  }
  return sql`
    select id, row_number() over (order by part, rank) as ordinal from (${runs[paging.orderBy]()}) run
    order by part, rank limit ${raw(String(paging.limit))} offset ${raw(String(offsetOf(paging)))}`
}

function orderOf({ order }: DepositPaging, key: string): string {
  return `${key} ${order}, id ${order}`
}

function matching(filter: DepositFilter): Sql {
  const conditions: Sql[] = [
    sql`merchant_id = ${filter.merchantId} and ${isShownToMerchant} ${picksOf(filter)}`,
  ]
  if (filter.createdFrom) conditions.push(sql`created_at >= ${filter.createdFrom}`)
  if (filter.createdTo) conditions.push(sql`created_at <= ${filter.createdTo}`)
  if (filter.invoiceIds) conditions.push(sql`invoice_id = any(${[...filter.invoiceIds]}::uuid[])`)
  return join(conditions, ' and ')
}
