import type { components } from 'coffer-sdk'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Amount, Dollars } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'

type Approval = components['schemas']['WithdrawalApproval']
type Verdict = 'approve' | 'reject'

const limit = 20

export function ApprovalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listApprovals', { limit, page }, { keepsShown: true, everyMs: 5_000 })
  const [judged, setJudged] = useState<{ approval: Approval; verdict: Verdict }>()
  return (
    <Page title="Approvals" description="Withdrawals above the limit that wait for you.">
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Withdrawals to approve"
          rows={data?.data}
          keyOf={({ withdrawal }) => withdrawal.id}
          columns={[
            {
              head: 'Amount',
              cell: ({ withdrawal, symbol }) => <Amount value={withdrawal.amount} unit={symbol} />,
            },
            {
              head: 'Worth',
              isFigure: true,
              cell: ({ worthUSD }) => (worthUSD === null ? 'unknown' : <Dollars value={worthUSD} />),
            },
            {
              head: 'To',
              cell: ({ withdrawal }) => <Copyable value={withdrawal.address} what="address" isShortened />,
              isWide: true,
            },
            { head: 'Since', cell: ({ withdrawal }) => <Moment at={withdrawal.createdAt} />, isWide: true },
            {
              head: 'Decide',
              isFigure: true,
              cell: (approval) =>
                approval.isReleased ? (
                  'approved'
                ) : (
                  <span className="inline-flex flex-wrap justify-end gap-1">
                    <Button look="secondary" onClick={() => setJudged({ approval, verdict: 'approve' })}>
                      Approve
                    </Button>
                    <Button look="quiet" onClick={() => setJudged({ approval, verdict: 'reject' })}>
                      Reject
                    </Button>
                  </span>
                ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Send} title="Nothing waits for you">
              A withdrawal worth more than APPROVAL_ABOVE_USD is not signed before an operator says yes.
            </EmptyState>
          }
        />
      </Card>
      {judged !== undefined && <VerdictDialog {...judged} onClose={() => setJudged(undefined)} />}
    </Page>
  )
}

function VerdictDialog({
  approval: { withdrawal, symbol },
  verdict,
  onClose,
}: {
  approval: Approval
  verdict: Verdict
  onClose(): void
}) {
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
        <>
          <Amount value={withdrawal.amount} unit={symbol} /> to{' '}
          <code className="font-mono text-xs [overflow-wrap:anywhere]">{withdrawal.address}</code>
        </>
      }
      word={verdict}
      action={verdict === 'approve' ? 'Approve it' : 'Reject it'}
      {...confirmed(judge)}
    >
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
