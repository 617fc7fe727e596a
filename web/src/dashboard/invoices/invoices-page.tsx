import { Link } from '@tanstack/react-router'
import type { components, ReplyOf } from 'coffer-sdk'
import { Download, FileText, Plus, Search, SlidersHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Dollars } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { MethodName } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { FilterDialog } from './filter-dialog.tsx'
import {
  countFilters,
  type InvoiceOrder,
  type InvoiceSearch,
  orderOf,
  queryOf,
  sortedBy,
} from './invoice-filters.ts'
import { badgesOf, typeNames } from './invoice-words.ts'
import { SavedViews } from './saved-views.tsx'

const limit = 20

interface InvoicesProps {
  readonly search: InvoiceSearch
  onSearch(search: InvoiceSearch): void
}

export function InvoicesPage({ search, onSearch }: InvoicesProps) {
  const { id, canChange } = useMerchant()
  const { page = 1 } = search
  const { data, error } = useApi(
    'listInvoices',
    { ...queryOf(search), merchantID: id, limit, page, showDetails: true },
    { keepsPreviousData: true },
  )
  return (
    <Page
      title="Invoices"
      actions={
        <>
          <ExportLink search={search} />
          {canChange && (
            <Link to="/m/$merchantID/invoices/new" params={{ merchantID: id }} className={buttonClasses()}>
              <Plus aria-hidden /> Create invoice
            </Link>
          )}
        </>
      }
    >
      <div className="grid gap-3">
        <SavedViews search={search} onSearch={onSearch} />
        <SearchBar search={search} onSearch={onSearch} />
      </div>
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <InvoiceTable invoices={data} search={search} onSearch={onSearch} />
      </Card>
    </Page>
  )
}

type Listed = components['schemas']['Invoice']

interface TableProps extends InvoicesProps {
  readonly invoices: ReplyOf<'listInvoices'> | undefined
}

function InvoiceTable({ invoices, search, onSearch }: TableProps) {
  const { methodOf } = useMerchant()
  const { page = 1 } = search
  const sorting = (by: InvoiceOrder) => ({
    order: orderOf(search, by),
    onSort: () => onSearch(sortedBy(search, by)),
  })
  return (
    <Table
      label="Invoices"
      rows={invoices?.data}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Amount', sorting: sorting('amount'), cell: (invoice) => <Asked invoice={invoice} /> },
        { head: 'State', cell: (invoice) => <States invoice={invoice} /> },
        { head: 'Description', cell: (invoice) => <Purpose invoice={invoice} />, isWide: true },
        { head: 'Type', cell: ({ type }) => typeNames[type], isWide: true },
        {
          head: 'Payment method',
          cell: ({ paymentMethodID }) => <MethodName method={methodOf(paymentMethodID)} />,
          isWide: true,
        },
        {
          head: 'Created',
          sorting: sorting('createdAt'),
          isFigure: true,
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
      ]}
      paging={
        invoices && {
          page,
          limit,
          total: invoices.total,
          onPage: (next) => onSearch({ ...search, page: next }),
        }
      }
      empty={
        countFilters(search) > 0 || search.search !== undefined ? (
          <NothingFound onClear={() => onSearch({})} />
        ) : (
          <NothingYet />
        )
      }
    />
  )
}

/**
 * Links to the invoice. On a phone, also shows the description, because the phone's table has no column for
 * it.
 */
function Asked({ invoice: { id, amount, description, reference } }: { invoice: Listed }) {
  const { id: merchantID } = useMerchant()
  return (
    <>
      <Link
        to="/m/$merchantID/invoices/$invoiceID"
        params={{ merchantID, invoiceID: id }}
        className="font-medium after:absolute after:inset-0"
      >
        <Dollars value={amount} />
      </Link>
      <span className="block max-w-28 truncate text-[0.8125rem] text-ink-soft md:hidden">
        {description ?? reference}
      </span>
    </>
  )
}

function States({ invoice }: { invoice: Listed }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {badgesOf(invoice).map((one) => (
        <StateBadge key={one} state={one} />
      ))}
    </span>
  )
}

/**
 * Shows the description and the reference. If both are missing, shows the end of the ID, because the IDs of
 * one day have similar beginnings.
 */
function Purpose({ invoice: { id, description, reference } }: { invoice: Listed }) {
  if (!description && !reference)
    return <code className="font-mono text-xs text-ink-faint">…{id.slice(-12)}</code>
  return (
    <span className="block max-w-32 truncate lg:max-w-80">
      {description} {reference && <span className="text-ink-soft">{reference}</span>}
    </span>
  )
}

function NothingFound({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      icon={Search}
      title="No matching invoices"
      action={
        <Button variant="secondary" onClick={onClear}>
          Show all invoices
        </Button>
      }
    >
      Remove a filter, or include archived invoices.
    </EmptyState>
  )
}

function NothingYet() {
  const { id: merchantID, canChange } = useMerchant()
  return (
    <EmptyState
      icon={FileText}
      title="No invoices yet"
      action={
        canChange && (
          <Link to="/m/$merchantID/invoices/new" params={{ merchantID }} className={buttonClasses()}>
            <Plus aria-hidden /> Create invoice
          </Link>
        )
      }
    >
      An invoice is an amount in dollars. Its payment page shows the payer an address, the exact amount in
      coin and a QR code. When it is paid, you see it here.
    </EmptyState>
  )
}

function SearchBar({ search, onSearch }: InvoicesProps) {
  const [typed, setTyped] = useState(search.search ?? '')
  // The search also changes when the user chooses a saved view or goes back.
  useEffect(() => setTyped(search.search ?? ''), [search.search])
  const [isOpen, setOpen] = useState(false)
  const variant = (text: string) => {
    const { search: _, page: __, ...rest } = search
    onSearch(text === '' ? rest : { ...rest, search: text })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    variant(typed.trim())
  }
  const type = (text: string) => {
    setTyped(text)
    // An empty search field shows all invoices at once, without a press of Enter.
    if (text === '' && search.search !== undefined) variant('')
  }
  const filters = countFilters(search)
  return (
    <form className="flex gap-2" onSubmit={submit}>
      <div className="min-w-0 flex-1 sm:max-w-sm">
        <TextField
          label="Search descriptions and references"
          isLabelHidden
          type="search"
          placeholder="Description or reference"
          value={typed}
          onValue={type}
        />
      </div>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden /> Filter{filters === 0 ? '' : ` (${filters})`}
      </Button>
      {isOpen && <FilterDialog search={search} onSearch={onSearch} onClose={() => setOpen(false)} />}
    </form>
  )
}

/** Links to a CSV file, which the server writes with the same filters as the list. */
function ExportLink({ search }: { search: InvoiceSearch }) {
  const { id } = useMerchant()
  const pairs = Object.entries(queryOf(search)).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]],
  )
  const query = new URLSearchParams(pairs).toString()
  return (
    <a
      href={`/merchants/${id}/invoices/export${query === '' ? '' : `?${query}`}`}
      download
      className={buttonClasses('secondary')}
    >
      <Download aria-hidden /> Export CSV
    </a>
  )
}
