import { Link } from '@tanstack/react-router'
import { Download, FileText, Plus, Search, SlidersHorizontal } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Dollars } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { shortened } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'
import { FilterDialog } from './filter-dialog.tsx'
import { countFilters, type InvoiceSearch, queryOf } from './invoice-filters.ts'
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
    { ...queryOf(search), merchantID: id, limit, page },
    { keepsShown: true },
  )
  return (
    <Page
      title="Invoices"
      actions={
        <>
          <ExportLink search={search} />
          {canChange && (
            <Link to="/m/$merchantID/invoices/new" params={{ merchantID: id }} className={buttonClasses()}>
              <Plus aria-hidden /> New invoice
            </Link>
          )}
        </>
      }
    >
      <div className="grid gap-3">
        <SavedViews search={search} onSearch={onSearch} />
        <SearchBar search={search} onSearch={onSearch} />
      </div>
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <InvoiceTable
          data={data}
          isFiltered={countFilters(search) > 0 || search.search !== undefined}
          onPage={(next) => onSearch({ ...search, page: next })}
          page={page}
        />
      </Card>
    </Page>
  )
}

type Invoices = ReturnType<typeof useApi<'listInvoices'>>['data']

function InvoiceTable({
  data,
  isFiltered,
  page,
  onPage,
}: {
  data: Invoices
  isFiltered: boolean
  page: number
  onPage(page: number): void
}) {
  const { id: merchantID, symbolOf, canChange } = useMerchant()
  return (
    <Table
      label="Invoices"
      rows={data?.data}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Amount',
          cell: ({ id, amount }) => (
            <Link
              to="/m/$merchantID/invoices/$invoiceID"
              params={{ merchantID, invoiceID: id }}
              className="font-medium after:absolute after:inset-0"
            >
              <Dollars value={amount} />
            </Link>
          ),
        },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Type', cell: ({ type }) => type, isWide: true },
        { head: 'Method', cell: ({ paymentMethodID }) => symbolOf(paymentMethodID), isWide: true },
        {
          head: 'Invoice',
          cell: ({ id }) => <code className="font-mono text-xs text-ink-soft">{shortened(id)}</code>,
          isWide: true,
        },
        { head: 'Created', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
      paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
      empty={
        isFiltered ? (
          <EmptyState icon={Search} title="No invoice is like that">
            Take a filter away, or look among the archived ones too.
          </EmptyState>
        ) : (
          <EmptyState
            icon={FileText}
            title="Ask for your first payment"
            action={
              canChange && (
                <Link to="/m/$merchantID/invoices/new" params={{ merchantID }} className={buttonClasses()}>
                  <Plus aria-hidden /> New invoice
                </Link>
              )
            }
          >
            An invoice is an amount in dollars. Its payer sees a page with an address, an exact amount in coin
            and a code to scan; you see here when it is paid.
          </EmptyState>
        )
      }
    />
  )
}

function SearchBar({ search, onSearch }: InvoicesProps) {
  const [typed, setTyped] = useState(search.search ?? '')
  const [isOpen, setOpen] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { search: _, page: __, ...rest } = search
    onSearch(typed.trim() === '' ? rest : { ...rest, search: typed.trim() })
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
          onValue={setTyped}
        />
      </div>
      <Button look="secondary" onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden /> Filter{filters === 0 ? '' : ` (${filters})`}
      </Button>
      {isOpen && <FilterDialog search={search} onSearch={onSearch} onClose={() => setOpen(false)} />}
    </form>
  )
}

/** The server writes the file, with the filters of what is shown. */
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
