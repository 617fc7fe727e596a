import { Plus, Snowflake } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { sourceLabel, TreasuryWithdrawalDialog } from './treasury-withdrawal-dialog.tsx'

const limit = 20

/** Lists treasury withdrawals to the cold address, pending and ended. */
export function TreasuryWithdrawalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi(
    'listTreasuryWithdrawals',
    { limit, page },
    { keepsPreviousData: true, everyMs: 5_000 },
  )
  const [isOrdering, setOrdering] = useState(false)
  return (
    <Page
      title="Treasury withdrawals"
      description="Transfers of your own money from the hot wallets to the cold address."
      actions={
        <Button onClick={() => setOrdering(true)}>
          <Plus aria-hidden /> Move to cold wallet
        </Button>
      }
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Treasury withdrawals"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: ({ amount, symbol, source, txHash, createdAt }) => (
                <>
                  <span className="font-medium">
                    <Amount value={amount} unit={symbol} />
                  </span>
                  <MobileDetails>
                    <span>from {sourceLabel(source)}</span>
                    <Moment at={createdAt} />
                    {txHash !== null && <Copyable value={txHash} what="transaction hash" isShortened />}
                  </MobileDetails>
                </>
              ),
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            {
              head: 'Source',
              cell: ({ source }) => <p className="first-letter:uppercase">{sourceLabel(source)}</p>,
              isWide: true,
            },
            {
              head: 'Hash',
              cell: ({ txHash }) =>
                txHash === null ? '–' : <Copyable value={txHash} what="transaction hash" isShortened />,
              isWide: true,
            },
            {
              head: 'Created',
              isFigure: true,
              cell: ({ createdAt }) => <Moment at={createdAt} />,
              isWide: true,
            },
            { head: 'Ended', isFigure: true, cell: ({ endedAt }) => <Moment at={endedAt} />, isWide: true },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={<NoWithdrawals />}
        />
      </Card>
      {isOrdering && <TreasuryWithdrawalDialog onClose={() => setOrdering(false)} />}
    </Page>
  )
}

function NoWithdrawals() {
  return (
    <EmptyState icon={Snowflake} title="No treasury withdrawals yet">
      Your earned fees and your capital can be moved to the cold address, unless they are needed to cover
      liabilities. The address is a setting of the server and of its signer. No page can change it.
    </EmptyState>
  )
}
