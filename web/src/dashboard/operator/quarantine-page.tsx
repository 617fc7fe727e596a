import type { components } from 'coffer-sdk'
import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Badge } from '../../design/badge.tsx'
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
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { Decisions, MerchantCell, MerchantName } from './row.tsx'

type Quarantine = components['schemas']['Quarantine']
type Verdict = 'release' | 'seize'

const limit = 20

export function QuarantinePage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi(
    'listOperatorQuarantine',
    { limit, page },
    { keepsPreviousData: true, everyMs: 5_000 },
  )
  const [decided, setDecided] = useState<{ held: Quarantine; verdict: Verdict }>()
  return (
    <Page
      title="Quarantine"
      description="Payments from senders that are on a sanctions list or not screened yet, and payments of implausible amounts."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Payments in quarantine"
          rows={data?.data}
          keyOf={({ transactionID }) => transactionID}
          columns={[
            {
              head: 'Amount',
              cell: (held) => (
                <>
                  <span className="font-medium">
                    <Amount value={held.amount} unit={held.currency} />
                  </span>
                  <MobileDetails>
                    <WhyHeld {...held} />
                    <MerchantName {...held} />
                    <Sender sender={held.sender} />
                    <Moment at={held.heldSince} />
                  </MobileDetails>
                </>
              ),
            },
            { head: 'Reason', cell: (held) => <WhyHeld {...held} />, isWide: true },
            { head: 'Merchant', cell: (held) => <MerchantCell {...held} />, isWide: true },
            { head: 'Sender', cell: ({ sender }) => <Sender sender={sender} />, isWide: true },
            { head: 'Since', cell: ({ heldSince }) => <Moment at={heldSince} />, isWide: true },
            {
              head: 'Actions',
              isFigure: true,
              cell: (held) => (
                <Decisions>
                  <Button variant="secondary" onClick={() => setDecided({ held, verdict: 'release' })}>
                    Release
                  </Button>
                  <Button variant="ending" onClick={() => setDecided({ held, verdict: 'seize' })}>
                    Seize
                  </Button>
                </Decisions>
              ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={ShieldAlert} title="No payments are held">
              A payment whose sender is on a sanctions list is not credited. It waits here for your decision.
            </EmptyState>
          }
        />
      </Card>
      {decided !== undefined && <VerdictDialog {...decided} onClose={() => setDecided(undefined)} />}
    </Page>
  )
}

function WhyHeld({ reason, foundBy }: Pick<Quarantine, 'reason' | 'foundBy'>) {
  if (foundBy === 'balance') return <Badge tone="warn">sender unknown, found by balance</Badge>
  if (reason === 'implausible') return <Badge tone="bad">implausible amount</Badge>
  return reason === 'listed' ? <Badge tone="bad">listed</Badge> : <Badge tone="warn">not screened</Badge>
}

function Sender({ sender }: Pick<Quarantine, 'sender'>) {
  return sender === null ? 'no single sender' : <Copyable value={sender} what="sender" isShortened />
}

function VerdictDialog({ held, verdict, onClose }: { held: Quarantine; verdict: Verdict; onClose(): void }) {
  const [reason, setReason] = useState('')
  const input = { transactionID: held.transactionID, body: reason === '' ? {} : { reason } }
  const once = useOnce()
  const decide = useAction(
    () => once(verdict === 'release' ? api.releaseOperatorQuarantine : api.seizeOperatorQuarantine, input),
    {
      done: verdict === 'release' ? 'The payment is credited.' : 'The payment is forfeited.',
      showsError: true,
      onDone: onClose,
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title={verdict === 'release' ? 'Release this payment?' : 'Seize this payment?'}
      description={
        verdict === 'release'
          ? 'It is credited to the merchant, less the fee.'
          : 'It is forfeited: the merchant does not receive it, and it is kept separate. This cannot be undone.'
      }
      word={verdict}
      action={verdict === 'release' ? 'Release payment' : 'Seize payment'}
      {...confirmed(decide)}
    >
      <Facts>
        <Fact name="Amount">
          <span className="font-medium">
            <Amount value={held.amount} unit={held.currency} />
          </span>
        </Fact>
        <Fact name="Merchant">
          <MerchantName {...held} />
        </Fact>
        <Fact name="Sender">
          {held.sender === null ? (
            'no single sender'
          ) : (
            <code className="font-mono text-[0.8125rem]">{held.sender}</code>
          )}{' '}
          <WhyHeld {...held} />
        </Fact>
      </Facts>
      <TextField label="Reason" value={reason} onValue={setReason} hint="Recorded in the audit trail." />
    </ConfirmDialog>
  )
}
