/** A simple model of invoice lists: everything is in memory, filtered, sorted and sliced. */
import type { InvoiceFilter } from '../../src/payments/invoices/lists/list-filter.ts'
import type { InvoicePaging } from '../../src/payments/invoices/lists/list-store.ts'

export interface ModelInvoice {
  readonly id: string
  readonly merchantId: string
  readonly type: string
  readonly state: string
  readonly amountUsd: string
  readonly paymentMethodIds: readonly number[]
  readonly description: string | null
  readonly reference: string | null
  readonly amlOk: boolean
  readonly collectState: string | null
  readonly createdAt: Date
  readonly archivedAt: Date | null
  readonly deletedAt: Date | null
}

export function modelList(all: readonly ModelInvoice[], filter: InvoiceFilter, paging: InvoicePaging) {
  const matched = all.filter((invoice) => matches(invoice, filter)).sort(comparing(paging))
  const from = (paging.page - 1) * paging.limit
  return { ids: matched.slice(from, from + paging.limit).map(({ id }) => id), total: matched.length }
}

function matches(invoice: ModelInvoice, filter: InvoiceFilter): boolean {
  const usd = BigInt(invoice.amountUsd)
  const collects = invoice.collectState ?? ''
  const texts = [invoice.description ?? '', invoice.reference ?? ''].map((text) => text.toLowerCase())
  return (
    invoice.merchantId === filter.merchantId &&
    invoice.deletedAt === null &&
    (filter.showArchived || invoice.archivedAt === null) &&
    (filter.types?.includes(invoice.type) ?? true) &&
    (filter.states?.includes(invoice.state) ?? true) &&
    (filter.paymentMethodIds?.some((id) => invoice.paymentMethodIds.includes(id)) ?? true) &&
    (filter.collectStates?.includes(collects) ?? true) &&
    (filter.amlOk === undefined || filter.amlOk === invoice.amlOk) &&
    (filter.amountFromUsd === undefined || usd >= filter.amountFromUsd) &&
    (filter.amountToUsd === undefined || usd <= filter.amountToUsd) &&
    (filter.createdFrom === undefined || invoice.createdAt >= filter.createdFrom) &&
    (filter.createdTo === undefined || invoice.createdAt <= filter.createdTo) &&
    (filter.searchWords ?? []).every((word) => texts.some((text) => text.includes(word.toLowerCase())))
  )
}

function comparing({ orderBy, order }: InvoicePaging): (a: ModelInvoice, b: ModelInvoice) => number {
  const sign = order === 'asc' ? 1 : -1
  const key = (invoice: ModelInvoice) =>
    orderBy === 'amount' ? BigInt(invoice.amountUsd) : BigInt(invoice.createdAt.getTime())
  return (a, b) => {
    const left = key(a)
    const right = key(b)
    if (left !== right) return left < right ? -sign : sign
    return a.id < b.id ? -sign : sign
  }
}
