import { Link } from '@tanstack/react-router'
import { ArrowDownToLine } from 'lucide-react'
import { StateBadge } from '../../design/badge.tsx'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Table } from '../../design/table.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { InvoiceLink } from '../transactions/invoice-link.tsx'
import { useApi } from '../use-api.ts'

export function LatestPayments() {
  const { id: merchantID } = useMerchant()
  const { data } = useApi('listTransactions', { merchantID, limit: 5, showCurrency: true, body: {} })
  return (
    <Card
      title="Latest payments"
      isFlush
      actions={
        <Link
          to="/m/$merchantID/transactions"
          params={{ merchantID }}
          className={buttonClasses('quiet', '-my-1.5 -mr-3')}
        >
          All transactions
        </Link>
      }
    >
      <Table
        label="Latest payments"
        rows={data?.data}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Amount',
            cell: (payment) => <InvoiceLink {...payment} />,
          },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { head: 'Seen', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
        empty={
          <EmptyState icon={ArrowDownToLine} title="No payments yet">
            Payments appear here as soon as the network reports them.
          </EmptyState>
        }
      />
    </Card>
  )
}
