import { Boxes } from 'lucide-react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'

const limit = 20

export function CollectionsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, symbolOf } = useMerchant()
  const { data, error } = useApi('listCollections', { merchantID, limit, page }, { keepsShown: true })
  return (
    <Page
      title="Collections"
      description="Coins being gathered from your payment addresses into the wallet that pays out. Your balance does not wait for it."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Collections"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: ({ amount, paymentMethodID }) => (
                <Amount value={amount} unit={symbolOf(paymentMethodID)} />
              ),
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            {
              head: 'Hash',
              cell: ({ txHash }) =>
                txHash !== null && <Copyable value={txHash} what="transaction hash" isShortened />,
              isWide: true,
            },
            { head: 'Payments', isFigure: true, cell: ({ transactions }) => transactions, isWide: true },
            { head: 'Created', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Boxes} title="Nothing was gathered yet">
              Each payer sends to an address of its own. What has come there is gathered when a withdrawal
              needs it, or when enough has come to be worth the network's fee.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}
