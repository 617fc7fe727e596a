import { useNavigate } from '@tanstack/react-router'
import { Archive, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { dollars } from '../../design/format-amount.ts'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { api, errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { MethodName } from '../methods.tsx'
import { BackLink } from '../shell/back-link.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { InvoicePayments } from './invoice-payments.tsx'
import type { InvoiceRecord } from './invoice-record.ts'
import { InvoiceTimeline } from './invoice-timeline.tsx'
import { badgesOf, typeNames } from './invoice-words.ts'
import { PayWithTestMoney } from './pay-with-test-money.tsx'
import { PayoutCards } from './payout-cards.tsx'

export function InvoicePage({ invoiceID }: { invoiceID: string }) {
  const { id: merchantID } = useMerchant()
  const { data: invoice, error } = useApi('getInvoice', { merchantID, invoiceID })
  const back = <BackLink to={`/m/${merchantID}/invoices`}>Invoices</BackLink>
  if (invoice === undefined)
    return (
      <Page title="Invoice" back={back}>
        {error === null ? (
          <Card>
            <SkeletonLines count={6} />
          </Card>
        ) : (
          <Notice tone="bad">{errorText(error)}</Notice>
        )}
      </Page>
    )
  return (
    <Page
      title={`${invoice.type === 'withdraw' ? 'Payout link for' : 'Invoice for'} ${dollars(invoice.amount)}`}
      back={back}
      actions={<InvoiceActions invoice={invoice} />}
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid gap-5">
          {invoice.type === 'withdraw' ? (
            <PayoutCards invoice={invoice} />
          ) : (
            <>
              <InvoiceFacts invoice={invoice} />
              <InvoicePayments invoice={invoice} />
            </>
          )}
        </div>
        <InvoiceTimeline invoiceID={invoice.id} />
      </div>
    </Page>
  )
}

function InvoiceFacts({ invoice }: { invoice: InvoiceRecord }) {
  const { methodOf } = useMerchant()
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2">
        {badgesOf(invoice).map((badge) => (
          <StateBadge key={badge} state={badge} />
        ))}
        {invoice.collectState !== null && <StateBadge state={invoice.collectState} />}
        {invoice.archived && <Badge>archived</Badge>}
        {!invoice.amlOk && <Badge tone="bad">screening</Badge>}
      </div>
      <Facts>
        <Fact name="Received">
          <Dollars value={invoice.amountPaid} /> of <Dollars value={invoice.amount} />
        </Fact>
        <Fact name="Type">{typeNames[invoice.type]}</Fact>
        <Fact name="Payment methods">
          <span className="flex flex-wrap gap-x-4 gap-y-1">
            {invoice.paymentMethodIDs.map((id) => (
              <MethodName key={id} method={methodOf(id)} />
            ))}
          </span>
        </Fact>
        {invoice.description !== null && <Fact name="Description">{invoice.description}</Fact>}
        {invoice.reference !== null && <Fact name="Reference">{invoice.reference}</Fact>}
        <Fact name="Created">
          <Moment at={invoice.createdAt} />
        </Fact>
        <Fact name="Expires">{invoice.expiresAt === null ? 'never' : <Moment at={invoice.expiresAt} />}</Fact>
        {invoice.paidAt !== null && (
          <Fact name="Paid">
            <Moment at={invoice.paidAt} />
          </Fact>
        )}
        <Fact name="Payment page">
          <Copyable value={invoice.checkoutURL} what="link to the payment page" />
        </Fact>
        <Fact name="ID">
          <Copyable value={invoice.id} what="invoice ID" />
        </Fact>
      </Facts>
    </Card>
  )
}

/** Returns whether an invoice can still be paid. A reusable invoice stays payable after it was paid. */
function isPayable({ type, state, closedAt }: InvoiceRecord): boolean {
  if (type === 'withdraw' || closedAt !== null) return false
  return state === 'pending' || (state === 'paid' && type === 'reusable')
}

type Ending = 'delete' | 'close' | 'accept'

function InvoiceActions({ invoice }: { invoice: InvoiceRecord }) {
  const { id: merchantID, canChange, isSandbox } = useMerchant()
  const [ending, setEnding] = useState<Ending>()
  const archive = useAction(() => api.archiveInvoice({ merchantID, invoiceID: invoice.id }), {
    done: 'The invoice is archived. To list it, include archived invoices in the filter.',
  })
  const isCloseable = ['collect', 'reusable'].includes(invoice.type) && invoice.closedAt === null
  const isAcceptable =
    invoice.state !== 'paid' && invoice.exceptions.some((one) => one === 'underpaid' || one === 'late')
  return (
    <>
      {invoice.type !== 'withdraw' && (
        <a href={invoice.checkoutURL} target="_blank" rel="noreferrer" className={buttonClasses('secondary')}>
          <ExternalLink aria-hidden /> Payment page
        </a>
      )}
      {isSandbox && canChange && isPayable(invoice) && <PayWithTestMoney invoice={invoice} />}
      {canChange && (
        <>
          {!invoice.archived && (
            <Button variant="secondary" isBusy={archive.isPending} onClick={() => archive.mutate(undefined)}>
              <Archive aria-hidden /> Archive
            </Button>
          )}
          {isAcceptable && <Button onClick={() => setEnding('accept')}>Accept as paid</Button>}
          {isCloseable && (
            <Button variant="secondary" onClick={() => setEnding('close')}>
              Close
            </Button>
          )}
          <Button variant="quiet" onClick={() => setEnding('delete')}>
            Delete
          </Button>
        </>
      )}
      {ending !== undefined && (
        <EndingDialog invoice={invoice} ending={ending} onClose={() => setEnding(undefined)} />
      )}
    </>
  )
}

const endings: Readonly<Record<Ending, { title: string; action: string; what: string; done: string }>> = {
  delete: {
    title: 'Delete the invoice?',
    action: 'Delete invoice',
    what: 'It is removed from all lists. Later payments to its addresses are still credited to you.',
    done: 'The invoice is deleted.',
  },
  close: {
    title: 'Close the invoice?',
    action: 'Close invoice',
    what: 'It becomes paid if anything was received, and expired otherwise. Later payments are credited and count as late.',
    done: 'The invoice is closed.',
  },
  accept: {
    title: 'Accept the invoice as paid?',
    action: 'Accept as paid',
    what: 'It counts as paid although it was underpaid or paid late. This is recorded in the audit trail.',
    done: 'The invoice is accepted as paid.',
  },
}

function EndingDialog({
  invoice,
  ending,
  onClose,
}: {
  invoice: InvoiceRecord
  ending: Ending
  onClose(): void
}) {
  const { id: merchantID } = useMerchant()
  const navigate = useNavigate()
  const { title, action, what, done } = endings[ending]
  const input = { merchantID, invoiceID: invoice.id }
  const calls: Readonly<Record<Ending, () => Promise<unknown>>> = {
    delete: () => api.deleteInvoice(input),
    close: () => api.closeInvoice(input),
    accept: () => api.acceptInvoice(input),
  }
  const end = useAction(calls[ending], {
    done,
    showsError: true,
    onDone: () => {
      onClose()
      if (ending === 'delete') void navigate({ to: '/m/$merchantID/invoices', params: { merchantID } })
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title={title}
      description={what}
      word={ending}
      action={action}
      {...confirmed(end)}
    >
      <p>
        Invoice for <Amount value={dollars(invoice.amount)} />
      </p>
    </ConfirmDialog>
  )
}
