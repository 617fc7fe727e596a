import type { components } from 'coffer-sdk'
import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
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
            { head: 'Amount', cell: ({ amount, currency }) => <Amount value={amount} unit={currency} /> },
            { head: 'Why', cell: ({ reason }) => <StateBadge state={reason} /> },
            {
              head: 'Sender',
              cell: ({ sender }) =>
                sender === null ? '–' : <Copyable value={sender} what="sender" isShortened />,
              isWide: true,
            },
            { head: 'Since', cell: ({ heldSince }) => <Moment at={heldSince} />, isWide: true },
            {
              head: 'Decide',
              isFigure: true,
              cell: (held) =>
                held.quarantine === 'held' ? (
                  <span className="inline-flex flex-wrap justify-end gap-1">
                    <Button look="secondary" onClick={() => setJudged({ held, verdict: 'release' })}>
                      Release
                    </Button>
                    <Button look="quiet" onClick={() => setJudged({ held, verdict: 'seize' })}>
                      Seize
                    </Button>
                  </span>
                ) : (
                  held.quarantine
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
        <>
          <Amount value={held.amount} unit={held.currency} />{' '}
          {verdict === 'release'
            ? 'is credited to the merchant.'
            : 'is taken from the merchant and kept apart. This cannot be taken back.'}
        </>
      }
      word={verdict}
      action={verdict === 'release' ? 'Release it' : 'Seize it'}
      {...confirmed(judge)}
    >
      <TextField label="Reason" value={reason} onValue={setReason} hint="It goes into the audit trail." />
    </ConfirmDialog>
  )
}
