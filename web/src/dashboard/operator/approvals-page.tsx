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
import { InHand, Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { Decisions, MerchantCell, MerchantName } from './row.tsx'

type Approval = components['schemas']['WithdrawalApproval']
type Verdict = 'approve' | 'reject'

const limit = 20

export function ApprovalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listApprovals', { limit, page }, { keepsShown: true, everyMs: 5_000 })
  const [judged, setJudged] = useState<{ approval: Approval; verdict: Verdict }>()
  return (
    <Page
      title="Approvals"
      description="Withdrawals above your limit, or without a fresh price to tell: none is sent before you agree."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
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
                  <InHand>
                    <MerchantName {...approval} />
                    <Copyable value={approval.withdrawal.address} what="address" isShortened />
                    <Moment at={approval.withdrawal.createdAt} />
                  </InHand>
                </>
              ),
            },
            { head: 'Of', cell: (approval) => <MerchantCell {...approval} />, isWide: true },
            {
              head: 'To',
              cell: ({ withdrawal }) => <Copyable value={withdrawal.address} what="address" isShortened />,
              isWide: true,
            },
            { head: 'Ordered', cell: ({ withdrawal }) => <Moment at={withdrawal.createdAt} />, isWide: true },
            {
              head: 'Decide',
              isFigure: true,
              cell: (approval) =>
                approval.isReleased ? (
                  'approved'
                ) : (
                  <Decisions>
                    <Button look="secondary" onClick={() => setJudged({ approval, verdict: 'approve' })}>
                      Approve
                    </Button>
                    <Button look="ending" onClick={() => setJudged({ approval, verdict: 'reject' })}>
                      Reject
                    </Button>
                  </Decisions>
                ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Send} title="Nothing waits for you">
              A withdrawal worth more than the setting <code className="font-mono">APPROVAL_ABOVE_USD</code>{' '}
              is not sent before an operator agrees. Without that setting none waits.
            </EmptyState>
          }
        />
      </Card>
      {judged !== undefined && <VerdictDialog {...judged} onClose={() => setJudged(undefined)} />}
    </Page>
  )
}

function OrderedAmount({ withdrawal, symbol, worthUSD }: Approval) {
  return (
    <div className="grid gap-0.5">
      <span className="font-medium">
        <Amount value={withdrawal.amount} unit={symbol} />
      </span>
      <span className="text-ink-soft">
        {worthUSD === null ? 'no fresh price' : <Dollars value={worthUSD} />}
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
  const judge = useAction(
    () =>
      verdict === 'approve'
        ? once(api.approveWithdrawal, { ...input, body: reason === '' ? {} : { reason } })
        : once(api.rejectWithdrawal, { ...input, body: { reason } }),
    {
      done: verdict === 'approve' ? 'It is approved.' : 'It is rejected.',
      showsFault: true,
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
          ? 'It goes out as soon as its money is final. What is sent cannot be called back.'
          : 'Nothing is sent; its money is available to the merchant again.'
      }
      word={verdict}
      action={verdict === 'approve' ? 'Approve it' : 'Reject it'}
      {...confirmed(judge)}
    >
      <Facts>
        <Fact name="Amount">
          <OrderedAmount {...approval} />
        </Fact>
        <Fact name="Of">
          <MerchantName {...approval} />
        </Fact>
        <Fact name="To">
          <code className="font-mono text-[0.8125rem]">{withdrawal.address}</code>
        </Fact>
      </Facts>
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        hint={verdict === 'reject' ? 'The merchant reads it.' : 'Optional; it goes into the audit trail.'}
        required={verdict === 'reject'}
      />
    </ConfirmDialog>
  )
}
