import type { components } from 'coffer-sdk'
import { ArrowDownToLine } from 'lucide-react'
import { StateBadge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { FoundByBalance, MethodName, methodOptions, TransactionHash } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { InvoiceLink } from './invoice-link.tsx'

const transactionStates = ['pending', 'confirmed', 'failed'] as const

export interface TransactionSearch {
  readonly page?: number
  readonly state?: (typeof transactionStates)[number]
  readonly token?: number
}

export function readTransactionSearch(given: Readonly<Record<string, unknown>>): TransactionSearch {
  const page = Number(given['page'])
  const token = Number(given['token'])
  const state = transactionStates.find((one) => one === given['state'])
  return {
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
    ...(state === undefined ? {} : { state }),
    ...(Number.isInteger(token) && token > 0 ? { token } : {}),
  }
}

interface TransactionsProps {
  readonly search: TransactionSearch
  onSearch(search: TransactionSearch): void
}

const limit = 20

export function TransactionsPage({ search, onSearch }: TransactionsProps) {
  const { id: merchantID, methodOf } = useMerchant()
  const { page = 1, state, token } = search
  const { data, error } = useApi(
    'listTransactions',
    {
      merchantID,
      limit,
      page,
      showCurrency: true,
      body: {
        ...(state === undefined ? {} : { states: [state] }),
        ...(token === undefined ? {} : { tokens: [token] }),
      },
    },
    { keepsPreviousData: true },
  )
  return (
    <Page title="Transactions" description="Payments to your addresses, as reported by the chain.">
      <Filters search={search} onSearch={onSearch} />
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Transactions"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: (payment) => <AmountCell payment={payment} />,
            },
            {
              head: 'Method',
              cell: ({ paymentMethodID }) => <MethodName method={methodOf(paymentMethodID)} />,
              isWide: true,
            },
            { head: 'State', cell: ({ state: shown }) => <StateBadge state={shown} /> },
            {
              head: 'Hash',
              cell: ({ txHash, paymentMethodID }) =>
                txHash === null ? (
                  <FoundByBalance />
                ) : (
                  <TransactionHash txHash={txHash} method={methodOf(paymentMethodID)} isShortened />
                ),
              isWide: true,
            },
            { head: 'Confirmed', cell: ({ confirmedAt }) => <Moment at={confirmedAt} />, isWide: true },
            { head: 'Seen', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          ]}
          paging={
            data === undefined
              ? undefined
              : { page, limit, total: data.total, onPage: (next) => onSearch({ ...search, page: next }) }
          }
          empty={
            <EmptyState icon={ArrowDownToLine} title="No transactions">
              Payments to the addresses of your invoices appear here as soon as the network reports them. To
              find a missing payment, use “Trace a payment”.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}

function AmountCell({ payment }: { payment: components['schemas']['Transaction'] }) {
  const { methodOf } = useMerchant()
  return (
    <>
      <InvoiceLink {...payment} />
      <MobileDetails>
        <MethodName method={methodOf(payment.paymentMethodID)} />
      </MobileDetails>
    </>
  )
}

function Filters({ search, onSearch }: TransactionsProps) {
  const { methods } = useMerchant()
  const { page: _, ...filters } = search
  return (
    <div className="flex flex-wrap gap-3">
      <SelectField
        label="State"
        isLabelHidden
        value={search.state ?? ''}
        onValue={(value) => onSearch(readTransactionSearch({ ...filters, state: value }))}
        options={[
          { value: '', label: 'All states' },
          ...transactionStates.map((value) => ({ value, label: value })),
        ]}
      />
      <SelectField
        label="Method"
        isLabelHidden
        value={String(search.token ?? '')}
        onValue={(value) => onSearch(readTransactionSearch({ ...filters, token: value }))}
        options={[{ value: '', label: 'All payment methods' }, ...methodOptions(methods)]}
      />
    </div>
  )
}
