/** Defines the filters of a list of invoices, and chooses the query plan with which a page is read. */
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
  /**
   * Each word must occur in the description or the reference, at any position. The characters of a word are
   * matched literally.
   */
  readonly searchWords?: readonly string[]
  readonly showArchived: boolean
}

export type InvoiceOrder = 'createdAt' | 'amount'

/** Which kinds of filters are set, apart from `showArchived`. */
export interface FilterKinds {
  /** Whether a column with few distinct values is filtered, such as the type or the state. */
  readonly byFacet: boolean
  readonly byTime: boolean
  readonly byAmount: boolean
  readonly bySearch: boolean
}

export function kindsOf(filter: InvoiceFilter): FilterKinds {
  const { types, states, paymentMethodIds, collectStates, amlOk } = filter
  return {
    byFacet: [types, states, paymentMethodIds, collectStates, amlOk].some((value) => value !== undefined),
    byTime: filter.createdFrom !== undefined || filter.createdTo !== undefined,
    byAmount: filter.amountFromUsd !== undefined || filter.amountToUsd !== undefined,
    bySearch: filter.searchWords !== undefined,
  }
}

export function filtersSet(filter: InvoiceFilter): number {
  return Object.values(filter).filter((value) => value !== undefined && value !== false).length - 1
}

/**
 * Returns the words of a search, the longest first. The longest word is usually the rarest, so most texts are
 * rejected after one comparison. A search that has only blanks has no words.
 */
export function wordsOf(search: string): readonly string[] {
  const words = new Set(search.split(/\s+/u).filter((word) => word !== ''))
  return [...words].sort((a, b) => b.length - a.length)
}

/** Returns whether no invoice can match, because a range ends before it begins. */
export function isEmptyRange(filter: InvoiceFilter): boolean {
  const { amountFromUsd, amountToUsd, createdFrom, createdTo } = filter
  if (amountFromUsd !== undefined && amountToUsd !== undefined && amountFromUsd > amountToUsd) return true
  return createdFrom !== undefined && createdTo !== undefined && createdFrom > createdTo
}

/**
 * How a page is read. Some columns have few distinct values, such as the type and the state. A facet is the
 * set of invoices that have equal values in all of these columns. `ordered`: scans the index of the sort order
 * and skips rows that do not match. `merged`: sorts the first rows of each matching facet; not for searches.
 * `nearest`: uses the next rows of the sort order, or continues as `merged` if too few of them match.
 * `gathered`: finds all matches and then sorts them.
 */
export type PagePlan = 'ordered' | 'nearest' | 'merged' | 'gathered'

/**
 * The counts that earlier queries found for a filter. They may be out of date, but they affect only the
 * speed.
 */
export interface FilterSize {
  readonly total: number
  /** The number of all invoices of the merchant, whether or not they match. */
  readonly whole: number
  readonly facets: number
}

const mergedRowsMax = 5_000
const gatheredRowsMax = 5_000

/**
 * Chooses the plan that is expected to be the fastest for a page.
 * @param need The number of rows up to the end of the page.
 */
export function planPage(
  kinds: FilterKinds,
  { total, whole, facets }: FilterSize,
  order: InvoiceOrder,
  need: number,
): PagePlan {
  const { byFacet, byTime, byAmount, bySearch } = kinds
  const isDense = total >= whole * 0.9
  if (bySearch) return total <= gatheredRowsMax ? 'gathered' : 'ordered'
  if (order === 'createdAt' && !byAmount) {
    if (isDense || (!byFacet && byTime)) return 'ordered'
    if (facets * need > mergedRowsMax) return 'ordered'
    return total >= whole * 0.25 ? 'nearest' : 'merged'
  }
  if (order === 'amount' && !byFacet && !byTime && (byAmount || isDense)) return 'ordered'
  return total <= gatheredRowsMax ? 'gathered' : 'ordered'
}
