/** What an address of the list of invoices says: every filter of the API, and the page. */
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

/** Whatever stands in an address, as a search; what makes no sense is left out. */
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

/** The same as the API's query. */
export function queryOf({ page: _, ...search }: InvoiceSearch): InvoiceQuery {
  return search as InvoiceQuery
}

/** By what the list is sorted; the newest first unless told otherwise. */
export type InvoiceOrder = NonNullable<InvoiceSearch['orderBy']>

/** The same search sorted by that, with the largest or newest first; the other way round where it is sorted so already. */
export function sortedBy(search: InvoiceSearch, orderBy: InvoiceOrder): InvoiceSearch {
  const { page: _, order: __, orderBy: ___, ...rest } = search
  const isTurned = orderOf(search, orderBy) === 'desc'
  return { ...rest, ...(orderBy === 'amount' ? { orderBy } : {}), ...(isTurned ? { order: 'asc' } : {}) }
}

/** How a search sorts by that; undefined where it sorts by something else. */
export function orderOf(
  { orderBy = 'createdAt', order = 'desc' }: InvoiceSearch,
  asked: InvoiceOrder,
): 'asc' | 'desc' | undefined {
  return orderBy === asked ? order : undefined
}

/** How many filters are set; a search is seen where it is typed. */
export function countFilters({
  page: _,
  search: __,
  order: ___,
  orderBy: ____,
  ...filters
}: InvoiceSearch): number {
  return Object.keys(filters).length
}
