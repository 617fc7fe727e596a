import { Link } from '@tanstack/react-router'
import type { components } from 'coffer-sdk'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { api, errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { MethodName } from '../methods.tsx'
import { useAction, useApi } from '../use-api.ts'
import { WithdrawalDestination } from '../withdrawals/withdrawal-destination.tsx'
import type { InvoiceRecord } from './invoice-record.ts'
import { typeNames } from './invoice-words.ts'

/**
 * Shows an invoice of the type `withdraw`, and the withdrawal that pays the payee. Until the payee has claimed
 * the money, a card about the link for the claim is shown instead of the withdrawal.
 */
export function PayoutCards({ invoice }: { invoice: InvoiceRecord }) {
  const { id: merchantID } = useMerchant()
  const { data, error } = useApi('getInvoicePayout', { merchantID, invoiceID: invoice.id })
  return (
    <>
      <PayoutFacts invoice={invoice} />
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {data === undefined && error === null && (
        <Card title="Withdrawal">
          <SkeletonLines count={3} />
        </Card>
      )}
      {data?.withdrawal === null && <Unclaimed invoice={invoice} />}
      {data?.withdrawal && <Payout withdrawal={data.withdrawal} />}
    </>
  )
}

function PayoutFacts({ invoice }: { invoice: InvoiceRecord }) {
  const { methodOf } = useMerchant()
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2">
        <StateBadge state={invoice.state} />
        {invoice.archived && <Badge>archived</Badge>}
      </div>
      <Facts>
        <Fact name="Amount">
          <Dollars value={invoice.amount} />
        </Fact>
        <Fact name="Type">{typeNames[invoice.type]}</Fact>
        <Fact name="Payment method">
          <MethodName method={methodOf(invoice.paymentMethodID)} />
        </Fact>
        {invoice.description !== null && <Fact name="Description">{invoice.description}</Fact>}
        {invoice.reference !== null && <Fact name="Reference">{invoice.reference}</Fact>}
        <Fact name="Created">
          <Moment at={invoice.createdAt} />
        </Fact>
        {invoice.expiresAt !== null && (
          <Fact name="Expires">
            <Moment at={invoice.expiresAt} />
          </Fact>
        )}
        {invoice.paidAt !== null && (
          <Fact name="Paid">
            <Moment at={invoice.paidAt} />
          </Fact>
        )}
        <Fact name="ID">
          <Copyable value={invoice.id} what="invoice ID" />
        </Fact>
      </Facts>
    </Card>
  )
}

/**
 * Shows the claim link on request. The claim token is not stored: the server derives it again for members who
 * may send money.
 */
function Unclaimed({ invoice }: { invoice: InvoiceRecord }) {
  const { id: merchantID, canChange } = useMerchant()
  const show = useAction(() => api.showClaimLink({ merchantID, invoiceID: invoice.id }), { showsError: true })
  if (invoice.state !== 'pending')
    return (
      <Card title="Claim link">
        <p className="text-ink-soft">
          Nobody claimed the amount in time, and nothing was paid. To pay it, create a new payout link.
        </p>
      </Card>
    )
  return (
    <Card title="Claim link" description="Nobody has claimed it yet. Share the link with the recipient.">
      {show.data !== undefined ? (
        <>
          <Copyable value={show.data.claimURL} what="claim link" isBlock />
          <Notice tone="warn">Anyone who has this link can claim the amount.</Notice>
        </>
      ) : canChange ? (
        <div>
          <Button variant="secondary" isBusy={show.isPending} onClick={() => show.mutate(undefined)}>
            Show claim link
          </Button>
        </div>
      ) : (
        <p className="text-ink-soft">An admin or owner of this merchant can show the link.</p>
      )}
      {show.error !== null && <Notice tone="bad">{errorText(show.error)}</Notice>}
    </Card>
  )
}

function Payout({ withdrawal }: { withdrawal: components['schemas']['Withdrawal'] }) {
  const { id: merchantID, symbolOf, methodOf } = useMerchant()
  const unit = symbolOf(withdrawal.paymentMethodID)
  return (
    <Card title="Withdrawal" description="This withdrawal pays the claim.">
      <div className="flex flex-wrap gap-2">
        <StateBadge state={withdrawal.state} />
      </div>
      <Facts>
        <Fact name="Recipient receives">
          <Amount value={withdrawal.net} unit={unit} />
        </Fact>
        <Fact name="Fee">
          <Amount value={withdrawal.fee} unit={unit} />
        </Fact>
        <Fact name="Total debited">
          <Amount value={withdrawal.amount} unit={unit} />
        </Fact>
        <WithdrawalDestination
          address={withdrawal.address}
          txHash={withdrawal.txHash}
          method={methodOf(withdrawal.paymentMethodID)}
        />
        <Fact name="Claimed">
          <Moment at={withdrawal.createdAt} />
        </Fact>
        <Fact name="Withdrawal">
          <Link
            to="/m/$merchantID/withdrawals"
            params={{ merchantID }}
            className="font-medium text-accent-text underline underline-offset-2"
          >
            Show all withdrawals
          </Link>
        </Fact>
      </Facts>
    </Card>
  )
}
