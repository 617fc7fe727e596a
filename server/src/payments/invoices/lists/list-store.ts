import { createHash } from 'node:crypto'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { one, type Queryable, type Statement } from '../../../platform/db/pool.ts'
import { type OrderedPaging, offsetOf } from '../../../platform/http/wire.ts'
import type { Invoice } from '../invoice.ts'
import { type InvoiceRow, invoiceColumns, toInvoice } from '../store.ts'
import {
  facetsOf,
  isOfFacet,
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
 * Returns one page of a merchant's invoices and the number of all invoices that match, both from one
 * snapshot. Invoices with equal sort keys are sorted by id, so pages never overlap.
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

/**
 * Returns the page that `listInvoices` returns, but reads it with a given plan. All plans give the same
 * result.
 */
export async function readPage(
  on: Queryable,
  filter: InvoiceFilter,
  paging: InvoicePaging,
  plan: PagePlan,
): Promise<{ invoices: readonly Invoice[]; total: number }> {
  const rows = await on.query<InvoiceRow & { total: number }>(listStatement(filter, paging, plan))
  // A page beyond the last page gives one row that has only the total.
  return { invoices: rows.filter(({ id }) => id !== null).map(toInvoice), total: rows[0]?.total ?? 0 }
}

/**
 * The size that is assumed for a search that was not counted yet. Counting the matches costs as much as
 * reading all of them. A search is therefore assumed to have few matches until a query found many.
 */
const unknownSearch: FilterSize = { total: 0, whole: 0, facets: 0 }

async function readSize(on: Queryable, filter: InvoiceFilter): Promise<FilterSize> {
  const size = await one<FilterSize>(
    on,
    nameable(
      filter,
      sql`
      with facet as materialized (${facetsOf(filter)})
      select (${totalOf(filter)})::bigint as total, (${wholeOf(filter)})::bigint as whole,
        (select count(*) from facet) as facets`,
    ),
  )
  return size ?? { total: 0, whole: 0, facets: 0 }
}

function listStatement(filter: InvoiceFilter, paging: InvoicePaging, plan: PagePlan): Statement {
  const isGathered = plan === 'gathered'
  const statement = sql`
    with facet as materialized (${facetsOf(filter)}),
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

/** Returns SQL for the number of matches. The statement that contains this SQL must define `facet`. */
function totalOf(filter: InvoiceFilter): Sql {
  const { byFacet, byTime, byAmount, bySearch } = kindsOf(filter)
  if (bySearch) return sql`select count(*) from (${allMatching(filter, sql`id`)}) match`
  if (!byTime && !byAmount) return sql`select coalesce(sum(invoices), 0) from facet`
  if (!byFacet && !byAmount) return sql`select ${totalOfTimes(filter)}`
  if (!byFacet && !byTime) return sql`select ${totalOfAmounts(filter)}`
  return sql`
    select coalesce(sum(run.invoices), 0) from facet cross join lateral (
      select count(*) as invoices from invoice where ${isOfFacet(filter.merchantId)} ${rangesOf(filter)}
    ) run`
}

/** Selects the first `offset + limit` rows of each facet. A page cannot need more rows of one facet. */
function mergedRuns(filter: InvoiceFilter, paging: InvoicePaging): Sql {
  return sql`
    select run.* from facet cross join lateral (
      select id, ${keyOf(paging)} from invoice where ${isOfFacet(filter.merchantId)} ${rangesOf(filter)}
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

/** Selects all matches with the key by which they are sorted. */
function gathering(filter: InvoiceFilter, paging: InvoicePaging): Sql {
  const { byFacet, byAmount, bySearch } = kindsOf(filter)
  if (byFacet && !byAmount && !bySearch) {
    return sql`
      select run.* from facet cross join lateral (
        select id, ${keyOf(paging)} from invoice where ${isOfFacet(filter.merchantId)} ${rangesOf(filter)} offset 0
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

/**
 * Builds the limit with literal numbers, not parameters. The planner would assume a large limit for a
 * parameter.
 */
function limitOf(paging: InvoicePaging): Sql {
  return raw(`limit ${paging.limit} offset ${offsetOf(paging)}`)
}

/**
 * Selects all matches. If the text index finds at most `foundRowsMax` invoices, the invoices are looked up by
 * id. If it finds more, all invoices are scanned.
 */
function allMatching(filter: InvoiceFilter, columns: Sql): Sql {
  const scan = sql`select ${columns} from invoice where ${matching(filter)} ${searching(filter)}`
  if (!isIndexed(filter)) return scan
  return sql`
    select ${columns} from invoice where ${matching(filter)} and id = any(array(select invoice_id from found))
      and (select count(*) from found) <= ${raw(String(foundRowsMax))}
    union all
    ${scan} and (select count(*) from found) > ${raw(String(foundRowsMax))}`
}

/** Returns all conditions of a filter except the conditions of the search. */
export function matching(filter: InvoiceFilter): Sql {
  return sql`merchant_id = ${filter.merchantId}::uuid and deleted_at is null
    ${unarchived(filter, sql`archived_at is null`)} ${picksOf(filter)} ${rangesOf(filter)}`
}

/** The character between description and reference in `search_text`. */
const separator = '\u001f'

/**
 * Returns the conditions of a search. Only the condition of the longest word is visible to the planner. The
 * planner assumes that words are independent. With several words, it would expect too few matches and sort
 * all invoices.
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

/**
 * Returns whether the text index can be used. It is a trigram index, so a word must have three letters or
 * digits in a row.
 */
function isIndexed({ searchWords = [] }: InvoiceFilter): boolean {
  return searchWords.some(isIndexable) && !searchWords.some((word) => word.includes(separator))
}

function isIndexable(word: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(word)
}

/**
 * Maximum number of texts that are looked up by id. If the index finds more, scanning every invoice is
 * faster.
 */
const foundRowsMax = 50_000

/**
 * Finds texts with the index. In a search with a number, such as "order 271828", only the number is looked up
 * in the index. A word that occurs in every text would make the index read everything. The other words are
 * compared with the texts that were found.
 */
function findTexts({ merchantId, searchWords = [] }: InvoiceFilter): Sql {
  const parts = searchWords.flatMap((word) => word.match(/[a-zA-Z0-9]+/g) ?? [])
  const rare = parts.filter((part) => part.length >= 4 && /\d/.test(part))
  const [rarest] = rare.toSorted((a, b) => b.length - a.length)
  const asked = rarest === undefined ? searchWords.filter(isIndexable) : [rarest]
  const indexed = asked.map((word) => sql`and search_text like ${patternOf(word)}`)
  // Appending an empty string keeps the planner from using the index for this condition.
  const compared = searchWords
    .filter((word) => !asked.includes(word))
    .map((word) => sql`and search_text || '' like ${patternOf(word)}`)
  return sql`
    select invoice_id from invoice_text
    where merchant_id = ${merchantId}::uuid ${join([...indexed, ...compared], ' ')}
    limit ${raw(String(foundRowsMax + 1))}`
}

/**
 * Builds a pattern for texts in lower case. The subquery evaluates `lower` only once. Without a subquery, the
 * function would be called for each row.
 */
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
 * Names the statement if it has one of a few common forms, so that connections keep its query plan. Other
 * statements get no name, because each kept plan costs memory on every connection.
 */
function nameable(filter: InvoiceFilter, statement: Sql): Statement {
  const isLongSearch = (filter.searchWords?.length ?? 0) > 2
  if (isLongSearch || filtersSet(filter) > 1) return unnamed(statement)
  const text = hideParameters(statement.text)
  const { values } = statement
  return { name: `list-${createHash('sha1').update(text).digest('hex')}`, text, values }
}

/**
 * Puts each parameter into a subquery, so that the planner does not see its value. The planner then finds no
 * custom plan better than the generic plan, and keeps the generic plan. Planning each time would take longer
 * than reading the list. The subquery takes its type from the cast of the parameter.
 */
function hideParameters(text: string): string {
  return text.replace(/\$(\d+)::(\w+(?:\[\])?)/g, '(select $$$1::$2)::$2')
}

function unnamed({ text, values }: Sql): Statement {
  return { text, values }
}
