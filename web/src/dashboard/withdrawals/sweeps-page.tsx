import { Boxes } from 'lucide-react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { MethodName, TransactionHash } from '../methods.tsx'
import { useApi } from '../use-api.ts'

const limit = 20

export function SweepsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, symbolOf, methodOf } = useMerchant()
  const { data, error } = useApi('listSweeps', { merchantID, limit, page }, { keepsPreviousData: true })
  return (
    <Page
      title="Sweeps"
      description="Transfers from your payment addresses to the hot wallets, from which withdrawals are sent. Your balance does not wait for them."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Sweeps"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: ({ amount, paymentMethodID }) => (
                <>
                  <Amount value={amount} unit={symbolOf(paymentMethodID)} />
                  <MobileDetails>
                    <MethodName method={methodOf(paymentMethodID)} />
                  </MobileDetails>
                </>
              ),
            },
            {
              head: 'Method',
              cell: ({ paymentMethodID }) => <MethodName method={methodOf(paymentMethodID)} />,
              isWide: true,
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            {
              head: 'Hash',
              cell: ({ txHash, paymentMethodID }) =>
                txHash !== null && (
                  <TransactionHash txHash={txHash} method={methodOf(paymentMethodID)} isShortened />
                ),
              isWide: true,
            },
            { head: 'Payments', isFigure: true, cell: ({ transactions }) => transactions, isWide: true },
            { head: 'Created', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Boxes} title="No sweeps yet">
              Each payer sends to a separate address. Payments are swept when a withdrawal needs them, or when
              enough has been received to be worth the network fee.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}
