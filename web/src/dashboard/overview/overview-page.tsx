import { Link } from '@tanstack/react-router'
import { Coins, Plus } from 'lucide-react'
import { Amount } from '../../design/amount.tsx'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'
import { FirstSteps } from './first-steps.tsx'

export function OverviewPage() {
  const { id: merchantID, merchant, canChange } = useMerchant()
  return (
    <Page
      title={merchant.name}
      actions={
        canChange && (
          <Link to="/m/$merchantID/invoices/new" params={{ merchantID }} className={buttonClasses()}>
            <Plus aria-hidden /> New invoice
          </Link>
        )
      }
    >
      <FirstSteps />
      <Balances />
    </Page>
  )
}

function Balances() {
  const { id: merchantID } = useMerchant()
  const { data } = useApi('listFunds', { merchantID })
  return (
    <Card title="Balances" isFlush>
      <Table
        label="Balances"
        rows={data}
        keyOf={({ paymentMethodID }) => paymentMethodID}
        columns={[
          { head: 'Method', cell: ({ symbol }) => <span className="font-medium">{symbol}</span> },
          {
            head: 'Available',
            isFigure: true,
            cell: ({ balance, symbol }) => <Amount value={balance} unit={symbol} />,
          },
        ]}
        empty={
          <EmptyState icon={Coins} title="No payment method">
            The operator has enabled none yet.
          </EmptyState>
        }
      />
    </Card>
  )
}
