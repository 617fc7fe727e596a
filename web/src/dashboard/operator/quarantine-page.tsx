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
import { InHand, Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
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
    { keepsShown: true, everyMs: 5_000 },
  )
  const [judged, setJudged] = useState<{ held: Quarantine; verdict: Verdict }>()
  return (
    <Page title="Quarantine" description="Payments from listed senders, or from senders not screened yet.">
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
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
                  <InHand>
                    <WhyHeld reason={held.reason} />
                    <MerchantName {...held} />
                    <Sender sender={held.sender} />
                    <Moment at={held.heldSince} />
                  </InHand>
                </>
              ),
            },
            { head: 'Why', cell: ({ reason }) => <WhyHeld reason={reason} />, isWide: true },
            { head: 'For', cell: (held) => <MerchantCell {...held} />, isWide: true },
            { head: 'Sender', cell: ({ sender }) => <Sender sender={sender} />, isWide: true },
            { head: 'Since', cell: ({ heldSince }) => <Moment at={heldSince} />, isWide: true },
            {
              head: 'Decide',
              isFigure: true,
              cell: (held) => (
                <Decisions>
                  <Button look="secondary" onClick={() => setJudged({ held, verdict: 'release' })}>
                    Release
                  </Button>
                  <Button look="ending" onClick={() => setJudged({ held, verdict: 'seize' })}>
                    Seize
                  </Button>
                </Decisions>
              ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={ShieldAlert} title="Nothing is held">
              A payment whose sender is on a sanctions list is not credited: it waits here until you decide.
            </EmptyState>
          }
        />
      </Card>
      {judged !== undefined && <VerdictDialog {...judged} onClose={() => setJudged(undefined)} />}
    </Page>
  )
}

function WhyHeld({ reason }: Pick<Quarantine, 'reason'>) {
  if (reason === 'implausible') return <Badge tone="bad">more than there is</Badge>
  return reason === 'listed' ? <Badge tone="bad">listed</Badge> : <Badge tone="warn">not screened</Badge>
}

function Sender({ sender }: Pick<Quarantine, 'sender'>) {
  return sender === null ? 'no single sender' : <Copyable value={sender} what="sender" isShortened />
}

function VerdictDialog({ held, verdict, onClose }: { held: Quarantine; verdict: Verdict; onClose(): void }) {
  const [reason, setReason] = useState('')
  const input = { transactionID: held.transactionID, body: reason === '' ? {} : { reason } }
  const once = useOnce()
  const judge = useAction(
    () => once(verdict === 'release' ? api.releaseOperatorQuarantine : api.seizeOperatorQuarantine, input),
    {
      done: verdict === 'release' ? 'It is credited.' : 'It is forfeited.',
      showsFault: true,
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
          : 'It is taken from the merchant and kept apart. This cannot be taken back.'
      }
      word={verdict}
      action={verdict === 'release' ? 'Release it' : 'Seize it'}
      {...confirmed(judge)}
    >
      <Facts>
        <Fact name="Amount">
          <span className="font-medium">
            <Amount value={held.amount} unit={held.currency} />
          </span>
        </Fact>
        <Fact name="For">
          <MerchantName {...held} />
        </Fact>
        <Fact name="Sender">
          {held.sender === null ? (
            'no single sender'
          ) : (
            <code className="font-mono text-[0.8125rem]">{held.sender}</code>
          )}{' '}
          <WhyHeld reason={held.reason} />
        </Fact>
      </Facts>
      <TextField label="Reason" value={reason} onValue={setReason} hint="It goes into the audit trail." />
    </ConfirmDialog>
  )
}
