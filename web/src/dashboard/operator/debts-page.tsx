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
import { api, errorText } from '../client.ts'
import { NetworkName } from '../methods.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'

type Debt = components['schemas']['Debt']

const limit = 20

/** Lists negative balances of merchants, which an operator can write off. */
export function DebtsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listDebts', { limit, page }, { keepsPreviousData: true, everyMs: 5_000 })
  const [debt, setDebt] = useState<Debt>()
  return (
    <Page
      title="Negative balances"
      description="What merchants owe because a payment was reversed after they had withdrawn it. Their withdrawals wait until later payments repay the amount or you write it off."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Negative balances"
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
              head: 'Amount owed',
              isFigure: true,
              cell: ({ amount, symbol }) => <Amount value={amount} unit={symbol} />,
            },
            { head: 'Network', cell: ({ network }) => <NetworkName network={network} />, isWide: true },
            { head: 'Since', cell: ({ since }) => <Moment at={since} />, isWide: true },
            {
              head: 'Actions',
              isFigure: true,
              cell: (one) => (
                <Button variant="secondary" onClick={() => setDebt(one)}>
                  Write off
                </Button>
              ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={HandCoins} title="No negative balances">
              If a reorganisation reverses a payment that was already withdrawn, the missing amount is listed
              here. Only you can write it off.
            </EmptyState>
          }
        />
      </Card>
      {debt !== undefined && <WriteOffDialog debt={debt} onClose={() => setDebt(undefined)} />}
    </Page>
  )
}

/** Writes off exactly the shown amount. If the merchant owes more by then, the server rejects the request. */
function WriteOffDialog({ debt, onClose }: { debt: Debt; onClose(): void }) {
  const { merchantID, merchantName, paymentMethodID, amount, symbol, network, since } = debt
  const once = useOnce()
  const order = useAction(() => once(api.writeOffDebt, { body: { merchantID, paymentMethodID, amount } }), {
    done: 'The negative balance is written off.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Write off this negative balance?"
      description="The merchant no longer owes the amount, and it is deducted from your capital. This cannot be undone."
      word="write off"
      action="Write off"
      {...confirmed(order)}
    >
      <Facts>
        <Fact name="Merchant">{merchantName}</Fact>
        <Fact name="Merchant ID">
          <Copyable value={merchantID} what="merchant ID" />
        </Fact>
        <Fact name="Amount">
          <Amount value={amount} unit={symbol} /> on <NetworkName network={network} />
        </Fact>
        <Fact name="Owed since">
          <Moment at={since} />
        </Fact>
      </Facts>
    </ConfirmDialog>
  )
}
