import type { components } from 'coffer-sdk'
import { HandCoins } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'

type Debt = components['schemas']['Debt']

const limit = 20

/** What merchants owe, and how an operator bears it. */
export function DebtsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listDebts', { limit, page }, { keepsShown: true, everyMs: 5_000 })
  const [debt, setDebt] = useState<Debt>()
  return (
    <Page
      title="Debts"
      description="What merchants owe because a payment was taken back after they had withdrawn it. Their payouts wait until it is repaid, by what comes in next, or written off."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="What merchants owe"
          rows={data?.data}
          keyOf={({ merchantID, paymentMethodID }) => `${merchantID} ${paymentMethodID}`}
          columns={[
            {
              head: 'Merchant',
              cell: ({ merchantName, merchantID }) => (
                <div className="grid gap-0.5">
                  <span className="[overflow-wrap:anywhere]">{merchantName}</span>
                  <span className="text-ink-soft max-md:hidden">
                    <Copyable value={merchantID} what="merchant ID" isShortened />
                  </span>
                </div>
              ),
            },
            {
              head: 'Owes',
              isFigure: true,
              cell: ({ amount, symbol }) => <Amount value={amount} unit={symbol} />,
            },
            { head: 'Network', cell: ({ network }) => network, isWide: true },
            { head: 'Since', cell: ({ since }) => <Moment at={since} />, isWide: true },
            {
              head: 'Decide',
              isFigure: true,
              cell: (one) => (
                <Button look="secondary" onClick={() => setDebt(one)}>
                  Write off
                </Button>
              ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={HandCoins} title="Nobody owes anything">
              Where the chain takes back a payment whose money is gone already, what is missing shows here.
              Only you can bear it.
            </EmptyState>
          }
        />
      </Card>
      {debt !== undefined && <WriteOffDialog debt={debt} onClose={() => setDebt(undefined)} />}
    </Page>
  )
}

/** Bears what it shows and no more: where the merchant owes more by then, the server refuses. */
function WriteOffDialog({ debt, onClose }: { debt: Debt; onClose(): void }) {
  const { merchantID, merchantName, paymentMethodID, amount, symbol, network, since } = debt
  const once = useOnce()
  const order = useAction(() => once(api.writeOffDebt, { body: { merchantID, paymentMethodID, amount } }), {
    done: 'The debt is written off.',
    showsFault: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Write this debt off?"
      description="The merchant owes it no more, and your capital is that much smaller. This cannot be taken back."
      word="write off"
      action="Write it off"
      {...confirmed(order)}
    >
      <Facts>
        <Fact name="Merchant">{merchantName}</Fact>
        <Fact name="Merchant ID">
          <Copyable value={merchantID} what="merchant ID" />
        </Fact>
        <Fact name="Amount">
          <Amount value={amount} unit={symbol} /> on {network}
        </Fact>
        <Fact name="Owed since">
          <Moment at={since} />
        </Fact>
      </Facts>
    </ConfirmDialog>
  )
}
