/** Lists of invoices as anybody would make them: all in memory, filtered, sorted, cut. */
import type { InvoiceFilter } from '../../src/payments/invoices/lists/list-filter.ts'
import type { InvoicePaging } from '../../src/payments/invoices/lists/list-store.ts'

export interface ModelInvoice {
  readonly id: string
  readonly merchant_id: string
  readonly type: string
  readonly state: string
  readonly amount_usd: string
  readonly payment_method_ids: readonly number[]
  readonly description: string | null
  readonly reference: string | null
  readonly aml_ok: boolean
  readonly collect_state: string | null
  readonly created_at: Date
  readonly archived_at: Date | null
  readonly deleted_at: Date | null
}

export function modelList(all: readonly ModelInvoice[], filter: InvoiceFilter, paging: InvoicePaging) {
  const matched = all.filter((invoice) => matches(invoice, filter)).sort(comparing(paging))
  const from = (paging.page - 1) * paging.limit
  return { ids: matched.slice(from, from + paging.limit).map(({ id }) => id), total: matched.length }
}

function matches(invoice: ModelInvoice, filter: InvoiceFilter): boolean {
  const usd = BigInt(invoice.amount_usd)
  const collects = invoice.collect_state ?? ''
  const texts = [invoice.description ?? '', invoice.reference ?? ''].map((text) => text.toLowerCase())
  return (
    invoice.merchant_id === filter.merchantId &&
    invoice.deleted_at === null &&
    (filter.showArchived || invoice.archived_at === null) &&
    (filter.types?.includes(invoice.type) ?? true) &&
    (filter.states?.includes(invoice.state) ?? true) &&
    (filter.paymentMethodIds?.some((id) => invoice.payment_method_ids.includes(id)) ?? true) &&
    (filter.collectStates?.includes(collects) ?? true) &&
    (filter.amlOk === undefined || filter.amlOk === invoice.aml_ok) &&
    (filter.amountFromUsd === undefined || usd >= filter.amountFromUsd) &&
    (filter.amountToUsd === undefined || usd <= filter.amountToUsd) &&
    (filter.createdFrom === undefined || invoice.created_at >= filter.createdFrom) &&
    (filter.createdTo === undefined || invoice.created_at <= filter.createdTo) &&
    (filter.searchWords ?? []).every((word) => texts.some((text) => text.includes(word.toLowerCase())))
  )
}

function comparing({ orderBy, order }: InvoicePaging): (a: ModelInvoice, b: ModelInvoice) => number {
  const sign = order === 'asc' ? 1 : -1
  const key = (invoice: ModelInvoice) =>
    orderBy === 'amount' ? BigInt(invoice.amount_usd) : BigInt(invoice.created_at.getTime())
  return (a, b) => {
    const left = key(a)
    const right = key(b)
    if (left !== right) return left < right ? -sign : sign
    return a.id < b.id ? -sign : sign
  }
}
