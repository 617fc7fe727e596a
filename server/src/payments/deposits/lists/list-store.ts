import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type OrderedPaging, offsetOf } from '../../../platform/http/wire.ts'
import type { Transaction } from '../deposit.ts'
import { isShownToMerchant, type TransactionRow, toTransaction, transactionColumns } from '../store.ts'
import { picksOf, totalOf } from './count-store.ts'
import type { TransactionFilter } from './list-filter.ts'

export type TransactionPaging = OrderedPaging<'createdAt' | 'amount' | 'confirmedAt'>

/**
 * One page of a merchant's transactions and how many match in all, both of the same moment. Those of deleted invoices are
 * neither listed nor counted. Ids break ties; what is not confirmed comes last in either order of `confirmedAt`.
 */
export async function listTransactions(
  on: Queryable,
  filter: TransactionFilter,
  paging: TransactionPaging,
): Promise<{ transactions: readonly Transaction[]; total: number }> {
  const where = matching(filter)
  const { text, values } = sql`
    with page as (${pageOf(where, paging)})
    select total, ${transactionColumns}
    from (select ${countOf(filter)} as total) counted
    left join (page join transaction using (id)) on true
    order by page.place`
  const rows = await on.query<TransactionRow & { total: number }>({ text, values })
  // Beyond the last page there is one row, with the total alone.
  return { transactions: rows.filter(({ id }) => id !== null).map(toTransaction), total: rows[0]?.total ?? 0 }
}

/** Of named invoices they are counted one by one: an invoice has few. */
function countOf(filter: TransactionFilter): Sql {
  return filter.invoiceIds === undefined
    ? sql`(${totalOf(filter)})::bigint`
    : sql`(select count(*) from transaction where ${matching(filter)})`
}

/** In two parts where some have no time: each is one run of its index. */
function pageOf(where: Sql, paging: TransactionPaging): Sql {
  const until = offsetOf(paging) + paging.limit
  const run = (part: number, key: string, more = '') => sql`
    (select id, ${raw(String(part))} as part, row_number() over (order by ${raw(orderOf(paging, key))}) as rank
     from transaction where ${where} ${raw(more)} order by ${raw(orderOf(paging, key))} limit ${raw(String(until))})`
  const runs = {
    createdAt: () => run(1, 'created_at'),
    amount: () => run(1, 'amount'),
    confirmedAt: () => sql`
      ${run(1, 'confirmed_at', 'and confirmed_at is not null')}
      union all ${run(2, 'created_at', 'and confirmed_at is null')}`,
  }
  return sql`
    select id, row_number() over (order by part, rank) as place from (${runs[paging.orderBy]()}) run
    order by part, rank limit ${raw(String(paging.limit))} offset ${raw(String(offsetOf(paging)))}`
}

function orderOf({ order }: TransactionPaging, key: string): string {
  return `${key} ${order}, id ${order}`
}

function matching(filter: TransactionFilter): Sql {
  const conditions: Sql[] = [
    sql`merchant_id = ${filter.merchantId} and ${isShownToMerchant} ${picksOf(filter)}`,
  ]
  if (filter.createdFrom) conditions.push(sql`created_at >= ${filter.createdFrom}`)
  if (filter.createdTo) conditions.push(sql`created_at <= ${filter.createdTo}`)
  if (filter.invoiceIds) conditions.push(sql`invoice_id = any(${[...filter.invoiceIds]}::uuid[])`)
  return join(conditions, ' and ')
}
