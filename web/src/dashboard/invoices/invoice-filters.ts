/**
 * Reads and writes the parameters in the URL of the invoice list: all filters of the API, and the page
 * number.
 */
import type { InputOf } from 'coffer-sdk'

export interface InvoiceSearch {
  readonly page?: number
  readonly search?: string
  readonly states?: readonly string[]
  readonly types?: readonly string[]
  readonly tokens?: readonly string[]
  readonly collectStates?: readonly string[]
  readonly amountFrom?: string
  readonly amountTo?: string
  readonly dateFrom?: string
  readonly dateTo?: string
  readonly showArchived?: boolean
  readonly amlOk?: boolean
  readonly orderBy?: 'createdAt' | 'amount'
  readonly order?: 'asc' | 'desc'
}

export const invoiceStates = ['pending', 'paid', 'expired'] as const
export const invoiceTypes = ['onetime', 'reusable', 'collect', 'withdraw'] as const
export const collectStates = ['collecting', 'sweeping', 'completed'] as const

const texts = ['search', 'amountFrom', 'amountTo', 'dateFrom', 'dateTo'] as const
const lists = ['states', 'types', 'tokens', 'collectStates'] as const

/** Reads a search from the parameters of a URL. Invalid values are ignored. */
export function readInvoiceSearch(given: Readonly<Record<string, unknown>>): InvoiceSearch {
  const page = Number(given['page'])
  const kept: Record<string, unknown> = {}
  for (const name of texts) if (isText(given[name])) kept[name] = String(given[name])
  for (const name of lists) {
    const values = [given[name]].flat().filter(isText).map(String)
    if (values.length > 0) kept[name] = values
  }
  if (Number.isInteger(page) && page > 1) kept['page'] = page
  if (given['showArchived'] === true) kept['showArchived'] = true
  if (typeof given['amlOk'] === 'boolean') kept['amlOk'] = given['amlOk']
  if (given['orderBy'] === 'amount') kept['orderBy'] = 'amount'
  if (given['order'] === 'asc') kept['order'] = 'asc'
  return kept
}

function isText(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

export type InvoiceQuery = Omit<InputOf<'listInvoices'>, 'merchantID' | 'limit' | 'page'>

/** Returns the query of the API for a search. The list itself adds the page number. */
export function queryOf({ page: _, ...search }: InvoiceSearch): InvoiceQuery {
  return search as InvoiceQuery
}

/** The column by which the list is sorted; by default the creation time. */
export type InvoiceOrder = NonNullable<InvoiceSearch['orderBy']>

/**
 * Returns the search, sorted by a column in descending order. If the search has that order already, the
 * result is in ascending order.
 */
export function sortedBy(search: InvoiceSearch, orderBy: InvoiceOrder): InvoiceSearch {
  const { page: _, order: __, orderBy: ___, ...rest } = search
  const isTurned = orderOf(search, orderBy) === 'desc'
  return { ...rest, ...(orderBy === 'amount' ? { orderBy } : {}), ...(isTurned ? { order: 'asc' } : {}) }
}

/** Returns the order in which a search sorts by a column, or undefined if it sorts by another column. */
export function orderOf(
  { orderBy = 'createdAt', order = 'desc' }: InvoiceSearch,
  asked: InvoiceOrder,
): 'asc' | 'desc' | undefined {
  return orderBy === asked ? order : undefined
}

/**
 * Returns the number of filters that are set. The search text is not counted, because the search field shows
 * it.
 */
export function countFilters({
  page: _,
  search: __,
  order: ___,
  orderBy: ____,
  ...filters
}: InvoiceSearch): number {
  return Object.keys(filters).length
}
