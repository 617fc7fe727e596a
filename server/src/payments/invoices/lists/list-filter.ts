/** What a list of invoices may be narrowed to, and by which way through the indexes its page is best read. */
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
  /** All of them are in a description or reference, each wherever it is. Their characters are taken literally. */
  readonly searchWords?: readonly string[]
  readonly showArchived: boolean
}

export type InvoiceOrder = 'createdAt' | 'amount'

/** Which kinds of filters are set, apart from `showArchived`. */
export interface FilterKinds {
  /** By what has few values: such a filter picks whole cells. */
  readonly byCell: boolean
  readonly byTime: boolean
  readonly byAmount: boolean
  readonly bySearch: boolean
}

export function kindsOf(filter: InvoiceFilter): FilterKinds {
  const { types, states, paymentMethodIds, collectStates, amlOk } = filter
  return {
    byCell: [types, states, paymentMethodIds, collectStates, amlOk].some((value) => value !== undefined),
    byTime: filter.createdFrom !== undefined || filter.createdTo !== undefined,
    byAmount: filter.amountFromUsd !== undefined || filter.amountToUsd !== undefined,
    bySearch: filter.searchWords !== undefined,
  }
}

export function filtersSet(filter: InvoiceFilter): number {
  return Object.values(filter).filter((value) => value !== undefined && value !== false).length - 1
}

/**
 * The words of a search, the longest first: it is the rarest as a rule, so that a text is let go after one comparison.
 * A search of blanks has none.
 */
export function wordsOf(search: string): readonly string[] {
  const words = new Set(search.split(/\s+/u).filter((word) => word !== ''))
  return [...words].sort((a, b) => b.length - a.length)
}

/** Whether nothing can match, because a range ends before it begins. */
export function isEmptyRange(filter: InvoiceFilter): boolean {
  const { amountFromUsd, amountToUsd, createdFrom, createdTo } = filter
  if (amountFromUsd !== undefined && amountToUsd !== undefined && amountFromUsd > amountToUsd) return true
  return createdFrom !== undefined && createdTo !== undefined && createdFrom > createdTo
}

/**
 * `ordered` walks the index of the order and leaves out what does not match; `merged` takes the first rows of each
 * cell that matches, and knows no search; `nearest` looks for them among the next rows of the order, and is `merged` where
 * these are too few; `gathered` finds all that match, then sorts.
 */
export type PagePlan = 'ordered' | 'nearest' | 'merged' | 'gathered'

/** What was learned about a filter; it may be out of date, and decides about speed alone. */
export interface FilterSize {
  readonly total: number
  /** All invoices of the merchant. */
  readonly whole: number
  readonly cells: number
}

const mergedRowsMax = 5_000
const gatheredRowsMax = 5_000

/** @param need rows up to the end of the page */
export function planPage(
  kinds: FilterKinds,
  { total, whole, cells }: FilterSize,
  order: InvoiceOrder,
  need: number,
): PagePlan {
  const { byCell, byTime, byAmount, bySearch } = kinds
  const isDense = total >= whole * 0.9
  if (bySearch) return total <= gatheredRowsMax ? 'gathered' : 'ordered'
  if (order === 'createdAt' && !byAmount) {
    if (isDense || (!byCell && byTime)) return 'ordered'
    if (cells * need > mergedRowsMax) return 'ordered'
    return total >= whole * 0.25 ? 'nearest' : 'merged'
  }
  if (order === 'amount' && !byCell && !byTime && (byAmount || isDense)) return 'ordered'
  return total <= gatheredRowsMax ? 'gathered' : 'ordered'
}
