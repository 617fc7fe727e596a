import { Coins } from 'lucide-react'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Table } from '../../design/table.tsx'
import type { Overview } from './overview.ts'

export function Balances({ balances }: { balances: Overview['balances'] | undefined }) {
  return (
    <Card title="Balances" isFlush>
      <Table
        label="Balances"
        rows={balances?.entries}
        keyOf={({ paymentMethodID }) => paymentMethodID}
        columns={[
          { head: 'Available', cell: ({ balance, symbol }) => <Amount value={balance} unit={symbol} /> },
          {
            head: 'Value',
            isFigure: true,
            cell: ({ usd }) =>
              usd === null ? <span className="text-ink-soft">no price</span> : <Dollars value={usd} />,
          },
        ]}
        empty={
          <EmptyState icon={Coins} title="No payment methods">
            The operator has not enabled any payment method yet.
          </EmptyState>
        }
      />
    </Card>
  )
}
