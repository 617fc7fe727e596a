import { createHash } from 'node:crypto'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { one, type Queryable, type Statement } from '../../../platform/db/pool.ts'
import { type OrderedPaging, offsetOf } from '../../../platform/http/wire.ts'
import type { Invoice } from '../invoice.ts'
import { type InvoiceRow, invoiceColumns, toInvoice } from '../store.ts'
import {
  cellsOf,
  isOfCell,
  picksOf,
  totalOfAmounts,
  totalOfTimes,
  unarchived,
  wholeOf,
} from './count-store.ts'
import {
  type FilterSize,
  filtersSet,
  type InvoiceFilter,
  type InvoiceOrder,
  isEmptyRange,
  kindsOf,
  type PagePlan,
  planPage,
} from './list-filter.ts'
import type { ListSizes } from './list-sizes.ts'

export type InvoicePaging = OrderedPaging<InvoiceOrder>

/**
 * One page of a merchant's invoices and how many match in all, both of the same moment. Ids break ties, so pages never
 * overlap.
 */
export async function listInvoices(
  { db, sizes }: { readonly db: Queryable; readonly sizes: ListSizes },
  filter: InvoiceFilter,
  paging: InvoicePaging,
): Promise<{ invoices: readonly Invoice[]; total: number }> {
  if (isEmptyRange(filter)) return { invoices: [], total: 0 }
  const size =
    sizes.get(filter) ?? (filter.searchWords === undefined ? await readSize(db, filter) : unknownSearch)
  const plan = planPage(kindsOf(filter), size, paging.orderBy, offsetOf(paging) + paging.limit)
  const listed = await readPage(db, filter, paging, plan)
  sizes.note(filter, { ...size, total: listed.total })
  return listed
}

/** The same by a given plan; all plans give the same. */
export async function readPage(
  on: Queryable,
  filter: InvoiceFilter,
  paging: InvoicePaging,
  plan: PagePlan,
): Promise<{ invoices: readonly Invoice[]; total: number }> {
  const rows = await on.query<InvoiceRow & { total: number }>(listStatement(filter, paging, plan))
  // Beyond the last page there is one row, with the total alone.
  return { invoices: rows.filter(({ id }) => id !== null).map(toInvoice), total: rows[0]?.total ?? 0 }
}

/** Counting what matches costs as much as gathering it: taken for few until it was found to be many. */
const unknownSearch: FilterSize = { total: 0, whole: 0, cells: 0 }

async function readSize(on: Queryable, filter: InvoiceFilter): Promise<FilterSize> {
  const size = await one<FilterSize>(
    on,
    nameable(
      filter,
      sql`
      with cell as materialized (${cellsOf(filter)})
      select (${totalOf(filter)})::bigint as total, (${wholeOf(filter)})::bigint as whole,
        (select count(*) from cell) as cells`,
    ),
  )
  return size ?? { total: 0, whole: 0, cells: 0 }
}

function listStatement(filter: InvoiceFilter, paging: InvoicePaging, plan: PagePlan): Statement {
  const isGathered = plan === 'gathered'
  const statement = sql`
    with cell as materialized (${cellsOf(filter)}),
    ${isIndexed(filter) ? sql`found as materialized (${findTexts(filter)}),` : sql``}
    ${isGathered ? sql`matched as materialized (${gathering(filter, paging)}),` : sql``}
    counted as materialized (
      select (${isGathered ? sql`select count(*) from matched` : totalOf(filter)})::bigint as total
    ),
    page as (${pages[plan](filter, paging)})
    select total, ${invoiceColumns}
    from counted left join (page join invoice using (id)) on true
    order by ${orderOf(paging, 'page.sort_key')}`
  const isUsual = paging.page === 1 && usualLimits.includes(paging.limit)
  return isUsual ? nameable(filter, statement) : unnamed(statement)
}

/** Reads `cell`, in whose scope it stands. */
function totalOf(filter: InvoiceFilter): Sql {
  const { byCell, byTime, byAmount, bySearch } = kindsOf(filter)
  if (bySearch) return sql`select count(*) from (${allMatching(filter, sql`id`)}) match`
  if (!byTime && !byAmount) return sql`select coalesce(sum(invoices), 0) from cell`
  if (!byCell && !byAmount) return sql`select ${totalOfTimes(filter)}`
  if (!byCell && !byTime) return sql`select ${totalOfAmounts(filter)}`
  return sql`
    select coalesce(sum(run.invoices), 0) from cell cross join lateral (
      select count(*) as invoices from invoice where ${isOfCell(filter.merchantId)} ${rangesOf(filter)}
    ) run`
}

/** The first rows of each cell. */
function mergedRuns(filter: InvoiceFilter, paging: InvoicePaging): Sql {
  return sql`
    select run.* from cell cross join lateral (
      select id, ${keyOf(paging)} from invoice where ${isOfCell(filter.merchantId)} ${rangesOf(filter)}
      order by ${orderOf(paging)} limit ${raw(String(offsetOf(paging) + paging.limit))}
    ) run`
}

const pages: Record<PagePlan, (filter: InvoiceFilter, paging: InvoicePaging) => Sql> = {
  ordered: (filter, paging) => sql`
    select id, ${keyOf(paging)} from invoice where ${matching(filter)} ${searching(filter)}
    order by ${orderOf(paging)} ${limitOf(paging)}`,
  nearest: (filter, paging) => {
    const need = offsetOf(paging) + paging.limit
    const all: InvoiceFilter = { merchantId: filter.merchantId, showArchived: filter.showArchived }
    return sql`
    with near as materialized (
      select id, ${keyOf(paging)} from (
        select * from invoice where ${matching(all)} order by ${orderOf(paging)} limit ${raw(String(need * 10))}
      ) first where ${matching(filter)} order by ${orderOf(paging)} limit ${raw(String(need))}
    )
    select * from (
      select * from near where (select count(*) from near) >= ${raw(String(need))}
      union all
      select * from (${mergedRuns(filter, paging)}) run where (select count(*) from near) < ${raw(String(need))}
    ) run
    order by ${orderOf(paging, 'sort_key')} ${limitOf(paging)}`
  },
  merged: (filter, paging) => sql`
    ${mergedRuns(filter, paging)} order by ${orderOf(paging, 'sort_key')} ${limitOf(paging)}`,
  gathered: (_filter, paging) => sql`
    select * from matched order by ${orderOf(paging, 'sort_key')} ${limitOf(paging)}`,
}

/** All that match, with what they are sorted by. */
function gathering(filter: InvoiceFilter, paging: InvoicePaging): Sql {
  const { byCell, byAmount, bySearch } = kindsOf(filter)
  if (byCell && !byAmount && !bySearch) {
    return sql`
      select run.* from cell cross join lateral (
        select id, ${keyOf(paging)} from invoice where ${isOfCell(filter.merchantId)} ${rangesOf(filter)} offset 0
      ) run`
  }
  return allMatching(filter, sql`id, ${keyOf(paging)}`)
}

const keys: Record<InvoiceOrder, string> = { createdAt: 'created_at', amount: 'amount_usd' }

function keyOf({ orderBy }: InvoicePaging): Sql {
  return raw(`${keys[orderBy]} as sort_key`)
}

function orderOf({ orderBy, order }: InvoicePaging, key = keys[orderBy]): Sql {
  const id = key.startsWith('page.') ? 'page.id' : 'id'
  return raw(`${key} ${order}, ${id} ${order}`)
}

/** In digits, not as parameters: a plan made for any number of rows would be one for many. */
function limitOf(paging: InvoicePaging): Sql {
  return raw(`limit ${paging.limit} offset ${offsetOf(paging)}`)
}

/** All that match, by the texts found where those are few enough to be looked up one by one. */
function allMatching(filter: InvoiceFilter, columns: Sql): Sql {
  const scan = sql`select ${columns} from invoice where ${matching(filter)} ${searching(filter)}`
  if (!isIndexed(filter)) return scan
  return sql`
    select ${columns} from invoice where ${matching(filter)} and id = any(array(select invoice_id from found))
      and (select count(*) from found) <= ${raw(String(foundRowsMax))}
    union all
    ${scan} and (select count(*) from found) > ${raw(String(foundRowsMax))}`
}

/** All but the search. */
export function matching(filter: InvoiceFilter): Sql {
  return sql`merchant_id = ${filter.merchantId}::uuid and deleted_at is null
    ${unarchived(filter, sql`archived_at is null`)} ${picksOf(filter)} ${rangesOf(filter)}`
}

/** What stands between description and reference in `search_text`. */
const separator = '\u001f'

/**
 * Looks at the text of each invoice that is read anyway. The planner is shown the longest word alone: it takes words for
 * independent, and would sort all invoices for what it believes to be a handful.
 */
export function searching({ searchWords = [] }: InvoiceFilter): Sql {
  const [longest, ...others] = searchWords.map(hasWord)
  if (longest === undefined) return sql``
  return join([sql`and ${longest}`, ...others.map((other) => sql`and coalesce(${other}, false)`)], ' ')
}

function hasWord(word: string): Sql {
  const pattern = patternOf(word)
  if (!word.includes(separator)) return sql`search_text like ${pattern}`
  return sql`(lower(description) like ${pattern} or lower(reference) like ${pattern})`
}

/** Whether the index of texts helps: it knows words by each three of their characters. */
function isIndexed({ searchWords = [] }: InvoiceFilter): boolean {
  return searchWords.some(isIndexable) && !searchWords.some((word) => word.includes(separator))
}

function isIndexable(word: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(word)
}

/** With more of them, looking at every invoice is faster. */
const foundRowsMax = 50_000

/**
 * Of a search with a number in it, such as "order 271828", the index is asked for the word with the number: what stands
 * in every text would make it read through everything. Each word is looked for in what the index finds.
 */
function findTexts({ merchantId, searchWords = [] }: InvoiceFilter): Sql {
  const parts = searchWords.flatMap((word) => word.match(/[a-zA-Z0-9]+/g) ?? [])
  const rare = parts.filter((part) => part.length >= 4 && /\d/.test(part))
  const [rarest] = rare.toSorted((a, b) => b.length - a.length)
  const asked = rarest === undefined ? searchWords.filter(isIndexable) : [rarest]
  const indexed = asked.map((word) => sql`and search_text like ${patternOf(word)}`)
  // Joined to nothing, the text is no expression of the index.
  const compared = searchWords
    .filter((word) => !asked.includes(word))
    .map((word) => sql`and search_text || '' like ${patternOf(word)}`)
  return sql`
    select invoice_id from invoice_text
    where merchant_id = ${merchantId}::uuid ${join([...indexed, ...compared], ' ')}
    limit ${raw(String(foundRowsMax + 1))}`
}

/** Of texts in lower case. Lowered once: a function of a parameter would be called for each row that is looked at. */
function patternOf(text: string): Sql {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql`(select lower(${pattern}::text))`
}

function rangesOf(filter: InvoiceFilter): Sql {
  const conditions: Sql[] = []
  if (filter.amountFromUsd !== undefined)
    conditions.push(sql`and amount_usd >= ${filter.amountFromUsd.toString()}::numeric`)
  if (filter.amountToUsd !== undefined)
    conditions.push(sql`and amount_usd <= ${filter.amountToUsd.toString()}::numeric`)
  if (filter.createdFrom) conditions.push(sql`and created_at >= ${filter.createdFrom}::timestamptz`)
  if (filter.createdTo) conditions.push(sql`and created_at <= ${filter.createdTo}::timestamptz`)
  return conditions.length === 0 ? sql`` : join(conditions, ' ')
}

const usualLimits = [20, 50, 100]

/**
 * Named, so that connections keep its plan, where the shape is one of few: each shape that is kept costs every
 * connection memory.
 */
function nameable(filter: InvoiceFilter, statement: Sql): Statement {
  const isLongSearch = (filter.searchWords?.length ?? 0) > 2
  if (isLongSearch || filtersSet(filter) > 1) return unnamed(statement)
  const text = hideParameters(statement.text)
  const { values } = statement
  return { name: `list-${createHash('sha1').update(text).digest('hex')}`, text, values }
}

/**
 * Behind a select the planner sees no values, so that a plan for these is no better than one for any, and is kept.
 * Planning would take longer than the list. Each parameter is cast, which says its type here.
 */
function hideParameters(text: string): string {
  return text.replace(/\$(\d+)::(\w+(?:\[\])?)/g, '(select $$$1::$2)::$2')
}

function unnamed({ text, values }: Sql): Statement {
  return { text, values }
}
