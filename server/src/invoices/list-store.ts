import sql, { type Sql } from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'
import { type OrderedPaging, offsetOf } from '../http/wire.ts'
import type { Invoice } from './invoice.ts'
import { type InvoiceRow, invoiceColumns, toInvoice } from './store.ts'

/** What a list of invoices may be narrowed to; an absent filter does not narrow. */
export interface InvoiceFilter {
  readonly merchantId: string
  readonly types?: readonly string[]
  readonly states?: readonly string[]
  readonly paymentMethodIds?: readonly number[]
  readonly amountFromUsd?: bigint
  readonly amountToUsd?: bigint
  readonly createdFrom?: Date
  readonly createdTo?: Date
  readonly collectStates?: readonly string[]
  readonly amlOk?: boolean
  /** Taken literally. */
  readonly search?: string
  readonly showArchived: boolean
}

type OrderBy = 'createdAt' | 'amount'

/** One page of a merchant's invoices and how many match in all. Ids break ties, so pages never overlap. */
export async function listInvoices(
  on: Queryable,
  filter: InvoiceFilter,
  paging: OrderedPaging<OrderBy>,
): Promise<{ invoices: readonly Invoice[]; total: number }> {
  const where = matching(filter)
  const column = paging.orderBy === 'amount' ? sql`amount_usd` : sql`created_at`
  const direction = paging.order === 'asc' ? sql`asc` : sql`desc`
  const rows = await on.query<InvoiceRow>(sql`
    select ${invoiceColumns} from invoice where ${where}
    order by ${column} ${direction}, id ${direction}
    limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from invoice where ${where}`)
  return { invoices: rows.map(toInvoice), total: counted?.total ?? 0 }
}

function matching(filter: InvoiceFilter): Sql {
  const conditions: Sql[] = [sql`merchant_id = ${filter.merchantId}`, sql`deleted_at is null`]
  if (!filter.showArchived) conditions.push(sql`archived_at is null`)
  if (filter.types) conditions.push(sql`type = any(${[...filter.types]})`)
  if (filter.states) conditions.push(sql`state = any(${[...filter.states]})`)
  if (filter.paymentMethodIds)
    conditions.push(sql`payment_method_ids && ${[...filter.paymentMethodIds]}::integer[]`)
  if (filter.amountFromUsd !== undefined)
    conditions.push(sql`amount_usd >= ${filter.amountFromUsd.toString()}`)
  if (filter.amountToUsd !== undefined) conditions.push(sql`amount_usd <= ${filter.amountToUsd.toString()}`)
  if (filter.createdFrom) conditions.push(sql`created_at >= ${filter.createdFrom}`)
  if (filter.createdTo) conditions.push(sql`created_at <= ${filter.createdTo}`)
  if (filter.collectStates) conditions.push(sql`collect_state = any(${[...filter.collectStates]})`)
  if (filter.amlOk !== undefined) conditions.push(sql`aml_ok = ${filter.amlOk}`)
  if (filter.search !== undefined) {
    const pattern = `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(sql`(description ilike ${pattern} or reference ilike ${pattern})`)
  }
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}
