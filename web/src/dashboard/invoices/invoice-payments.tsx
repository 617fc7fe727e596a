import { Link } from '@tanstack/react-router'
import { ArrowDownToLine, QrCode } from 'lucide-react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Table } from '../../design/table.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import type { InvoiceRecord } from './invoice-record.ts'

/** Shows the payments to an invoice and the addresses that were assigned to the invoice. */
export function InvoicePayments({ invoice }: { invoice: InvoiceRecord }) {
  return (
    <>
      <Received invoice={invoice} />
      <Given invoice={invoice} />
    </>
  )
}

function Received({ invoice }: { invoice: InvoiceRecord }) {
  const { id: merchantID } = useMerchant()
  return (
    <Card title="Transactions" isFlush>
      <Table
        label="Transactions of this invoice"
        rows={invoice.transactions}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Amount',
            cell: ({ amount, currency }) => <Amount value={amount} unit={currency} />,
          },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          {
            head: 'Hash',
            cell: ({ txHash }) =>
              txHash !== null && <Copyable value={txHash} what="transaction hash" isShortened />,
            isWide: true,
          },
          {
            head: 'Details',
            isFigure: true,
            cell: ({ txHash }) =>
              txHash !== null && (
                <Link
                  to="/m/$merchantID/trace"
                  params={{ merchantID }}
                  search={{ hash: txHash }}
                  className="font-medium text-accent-text underline underline-offset-2"
                >
                  Trace
                </Link>
              ),
          },
        ]}
        empty={
          <EmptyState icon={ArrowDownToLine} title="No payments yet">
            Payments appear here as soon as the network reports them, before they are in a block.
          </EmptyState>
        }
      />
    </Card>
  )
}

function Given({ invoice }: { invoice: InvoiceRecord }) {
  return (
    <Card title="Addresses" isFlush>
      <Table
        label="Addresses of this invoice"
        rows={invoice.addresses}
        keyOf={({ paymentMethodID }) => paymentMethodID}
        columns={[
          { head: 'Amount due', cell: ({ amount, symbol }) => <Amount value={amount} unit={symbol} /> },
          {
            head: 'Address',
            cell: ({ address }) => <Copyable value={address} what="address" isShortened />,
          },
          {
            head: 'Expires',
            cell: ({ expiresAt }) => <Moment at={expiresAt} />,
            isFigure: true,
            isWide: true,
          },
        ]}
        empty={
          <EmptyState icon={QrCode} title="No addresses yet">
            An address is assigned when a payer opens the payment page and chooses a payment method.
          </EmptyState>
        }
      />
    </Card>
  )
}
