import { Link } from '@tanstack/react-router'
import { ArrowDownToLine, QrCode } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Table } from '../../design/table.tsx'
import { api } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { FoundByBalance } from '../methods.tsx'
import { confirmed, useAction } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import type { InvoiceRecord } from './invoice-record.ts'

type Transaction = InvoiceRecord['transactions'][number]

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
  const { id: merchantID, canChange } = useMerchant()
  const [credited, setCredited] = useState<Transaction>()
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
          {
            head: 'State',
            cell: ({ state, isWrongNetwork, foundBy }) => (
              <span className="inline-flex flex-wrap gap-1">
                <StateBadge state={state} />
                {isWrongNetwork && <Badge tone="warn">wrong network</Badge>}
                {foundBy === 'balance' && <FoundByBalance />}
              </span>
            ),
          },
          {
            head: 'Hash',
            cell: ({ txHash }) =>
              txHash !== null && <Copyable value={txHash} what="transaction hash" isShortened />,
            isWide: true,
          },
          {
            head: 'Details',
            isFigure: true,
            cell: (transaction) => (
              <span className="inline-flex flex-wrap items-center justify-end gap-2">
                {transaction.txHash !== null && (
                  <Link
                    to="/m/$merchantID/trace"
                    params={{ merchantID }}
                    search={{ hash: transaction.txHash }}
                    className="font-medium text-accent-text underline underline-offset-2"
                  >
                    Trace
                  </Link>
                )}
                {canChange && transaction.isCreditable && (
                  <Button variant="secondary" onClick={() => setCredited(transaction)}>
                    Credit
                  </Button>
                )}
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={ArrowDownToLine} title="No payments yet">
            Payments appear here as soon as the network reports them, before they are in a block.
          </EmptyState>
        }
      />
      {credited !== undefined && (
        <CreditDialog transaction={credited} onClose={() => setCredited(undefined)} />
      )}
    </Card>
  )
}

/** Asks before a payment on a network that the invoice does not offer is credited to the balance. */
function CreditDialog({ transaction, onClose }: { transaction: Transaction; onClose(): void }) {
  const { id: merchantID, methods } = useMerchant()
  const { id, amount, currency, creditFee, paymentMethodID } = transaction
  const network = methods.find((method) => method.paymentMethodID === paymentMethodID)?.network
  const once = useOnce()
  const credit = useAction(() => once(api.creditTransaction, { merchantID, transactionID: id }), {
    done: 'The payment is credited to your balance.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Credit the payment?"
      description="It came on a network that the invoice does not offer. It is credited to your balance and does not pay the invoice."
      word="credit"
      action="Credit payment"
      {...confirmed(credit)}
    >
      <p>
        <Amount value={amount} unit={currency} /> on {network ?? 'another network'}
        {creditFee !== null && (
          <>
            , less a fee of <Amount value={creditFee} unit={currency} />
          </>
        )}
      </p>
    </ConfirmDialog>
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
