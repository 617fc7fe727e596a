import type { components } from 'coffer-sdk'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { api, errorText } from '../client.ts'
import { MethodName } from '../methods.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { Decisions, MerchantCell, MerchantName } from './row.tsx'

type Approval = components['schemas']['WithdrawalApproval']
type Verdict = 'approve' | 'reject'

const limit = 20

export function ApprovalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi(
    'listApprovals',
    { limit, page },
    { keepsPreviousData: true, everyMs: 5_000 },
  )
  const [decided, setDecided] = useState<{ approval: Approval; verdict: Verdict }>()
  return (
    <Page
      title="Approvals"
      description="Withdrawals above your limit, or without a current price. They are sent only after you approve them."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Withdrawals to approve"
          rows={data?.data}
          keyOf={({ withdrawal }) => withdrawal.id}
          columns={[
            {
              head: 'Amount',
              cell: (approval) => (
                <>
                  <OrderedAmount {...approval} />
                  <MobileDetails>
                    <MerchantName {...approval} />
                    <Copyable value={approval.withdrawal.address} what="address" isShortened />
                    <Moment at={approval.withdrawal.createdAt} />
                  </MobileDetails>
                </>
              ),
            },
            { head: 'Merchant', cell: (approval) => <MerchantCell {...approval} />, isWide: true },
            {
              head: 'Recipient',
              cell: ({ withdrawal }) => <Copyable value={withdrawal.address} what="address" isShortened />,
              isWide: true,
            },
            { head: 'Created', cell: ({ withdrawal }) => <Moment at={withdrawal.createdAt} />, isWide: true },
            {
              head: 'Actions',
              isFigure: true,
              cell: (approval) =>
                approval.isReleased ? (
                  'Approved'
                ) : (
                  <Decisions>
                    <Button variant="secondary" onClick={() => setDecided({ approval, verdict: 'approve' })}>
                      Approve
                    </Button>
                    <Button variant="ending" onClick={() => setDecided({ approval, verdict: 'reject' })}>
                      Reject
                    </Button>
                  </Decisions>
                ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Send} title="No withdrawals are waiting">
              Withdrawals worth more than the setting <code className="font-mono">APPROVAL_ABOVE_USD</code>{' '}
              are sent only after an operator approves them. Without this setting none needs approval.
            </EmptyState>
          }
        />
      </Card>
      {decided !== undefined && <VerdictDialog {...decided} onClose={() => setDecided(undefined)} />}
    </Page>
  )
}

function OrderedAmount({ withdrawal, symbol, worthUSD }: Approval) {
  const { data: methods = [] } = useApi('listPaymentMethods', {})
  const method = methods.find(({ paymentMethodID }) => paymentMethodID === withdrawal.paymentMethodID)
  return (
    <div className="grid gap-0.5">
      <span className="font-medium">
        <Amount value={withdrawal.amount} unit={symbol} />
      </span>
      {method !== undefined && (
        <span className="text-ink-soft">
          <MethodName method={method} />
        </span>
      )}
      <span className="text-ink-soft">
        {worthUSD === null ? 'no current price' : <Dollars value={worthUSD} />}
      </span>
    </div>
  )
}

function VerdictDialog({
  approval,
  verdict,
  onClose,
}: {
  approval: Approval
  verdict: Verdict
  onClose(): void
}) {
  const { withdrawal } = approval
  const [reason, setReason] = useState('')
  const input = { withdrawalID: withdrawal.id }
  const once = useOnce()
  const decide = useAction(
    () =>
      verdict === 'approve'
        ? once(api.approveWithdrawal, { ...input, body: reason === '' ? {} : { reason } })
        : once(api.rejectWithdrawal, { ...input, body: { reason } }),
    {
      done: verdict === 'approve' ? 'The withdrawal is approved.' : 'The withdrawal is rejected.',
      showsError: true,
      onDone: onClose,
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title={verdict === 'approve' ? 'Approve this withdrawal?' : 'Reject this withdrawal?'}
      description={
        verdict === 'approve'
          ? 'It is sent as soon as its funds are final. A sent withdrawal cannot be reversed.'
          : 'Nothing is sent. Its amount is available to the merchant again.'
      }
      word={verdict}
      action={verdict === 'approve' ? 'Approve withdrawal' : 'Reject withdrawal'}
      {...confirmed(decide)}
    >
      <Facts>
        <Fact name="Amount">
          <OrderedAmount {...approval} />
        </Fact>
        <Fact name="Merchant">
          <MerchantName {...approval} />
        </Fact>
        <Fact name="Recipient">
          <code className="font-mono text-[0.8125rem]">{withdrawal.address}</code>
        </Fact>
      </Facts>
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        hint={verdict === 'reject' ? 'Shown to the merchant.' : 'Optional. Recorded in the audit trail.'}
        required={verdict === 'reject'}
      />
    </ConfirmDialog>
  )
}
