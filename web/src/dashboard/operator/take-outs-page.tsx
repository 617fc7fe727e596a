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
import { InHand, Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { sourceLabel, TakeOutDialog } from './take-out-dialog.tsx'

const limit = 20

/** What went, or is on its way, to the cold address. */
export function TakeOutsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listTakeOuts', { limit, page }, { keepsShown: true, everyMs: 5_000 })
  const [isOrdering, setOrdering] = useState(false)
  return (
    <Page
      title="Take-outs"
      description="Money of your own that leaves the hot wallets for the cold address."
      actions={
        <Button onClick={() => setOrdering(true)}>
          <Plus aria-hidden /> Take money out
        </Button>
      }
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Take-outs"
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
                  <InHand>
                    <span>of {sourceLabel(source)}</span>
                    <Moment at={createdAt} />
                    {txHash !== null && <Copyable value={txHash} what="transaction hash" isShortened />}
                  </InHand>
                </>
              ),
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            {
              head: 'Of',
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
              head: 'Ordered',
              isFigure: true,
              cell: ({ createdAt }) => <Moment at={createdAt} />,
              isWide: true,
            },
            { head: 'Ended', isFigure: true, cell: ({ endedAt }) => <Moment at={endedAt} />, isWide: true },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Snowflake} title="Nothing was taken out yet">
              Fees you earned and capital you put in can go to the cold address, as far as nothing has a claim
              on them. The address is a setting of the server and of its signer: no page can change it.
            </EmptyState>
          }
        />
      </Card>
      {isOrdering && <TakeOutDialog onClose={() => setOrdering(false)} />}
    </Page>
  )
}
