import type { components } from 'coffer-sdk'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { api, errorText, fieldError } from '../client.ts'
import { FoundByBalance } from '../methods.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { MerchantName } from './row.tsx'

type Unattributed = components['schemas']['UnattributedTransaction']

const limit = 20

export function UnattributedPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { data, error } = useApi('listUnattributed', { limit, page }, { keepsPreviousData: true })
  const [assigned, setAssigned] = useState<Unattributed>()
  return (
    <Page
      title="Unattributed"
      description="Deposits to addresses of this service that are not assigned to anybody yet."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Unattributed deposits"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: (money) => (
                <>
                  <span className="font-medium">
                    <Amount value={money.amount} unit={money.symbol} />
                  </span>
                  <MobileDetails>
                    <States {...money} />
                    <Recipient {...money} />
                    <Hash {...money} />
                    <Moment at={money.createdAt} />
                  </MobileDetails>
                </>
              ),
            },
            { head: 'State', cell: (money) => <States {...money} />, isWide: true },
            { head: 'Address', cell: (money) => <Recipient {...money} />, isWide: true },
            {
              head: 'Sender',
              cell: ({ sender }) =>
                sender === null ? 'no single sender' : <Copyable value={sender} what="sender" isShortened />,
              isWide: true,
            },
            {
              head: 'Transaction',
              cell: (money) => <Included {...money} />,
              isWide: true,
            },
            {
              head: 'Actions',
              isFigure: true,
              cell: (one) =>
                one.state === 'confirmed' && (
                  <Button variant="secondary" onClick={() => setAssigned(one)}>
                    Assign
                  </Button>
                ),
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Coins} title="No unattributed deposits">
              Deposits to a hot wallet, to an address without an invoice, to a deleted merchant or on a
              network that the invoice does not offer wait here until they are assigned.
            </EmptyState>
          }
        />
      </Card>
      {assigned !== undefined && <AssignDialog money={assigned} onClose={() => setAssigned(undefined)} />}
    </Page>
  )
}

function States({ state, amlOk, reason }: Unattributed) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      <StateBadge state={state} />
      {reason === 'wrong-network' && <Badge tone="warn">wrong network</Badge>}
      {!amlOk && <Badge tone="bad">not screened</Badge>}
    </span>
  )
}

/** Shows the address and, if it belongs to a merchant, the name of that merchant. */
function Recipient({ recipient, merchantID, merchantName, reason }: Unattributed) {
  return (
    <div className="grid gap-0.5">
      <Copyable value={recipient} what="address" isShortened />
      {merchantID !== null && (
        <span className="text-ink-soft">
          of <MerchantName merchantID={merchantID} merchantName={merchantName} />
          {reason === 'deleted-merchant' && ', deleted'}
        </span>
      )}
    </div>
  )
}

/** Shows the transaction, or that the money was found by balance. */
function Hash({ txHash }: Pick<Unattributed, 'txHash'>) {
  if (txHash === null) return <FoundByBalance />
  return <Copyable value={txHash} what="transaction hash" isShortened />
}

function Included({ txHash, createdAt }: Unattributed) {
  return (
    <div className="grid gap-0.5">
      <Hash txHash={txHash} />
      <span className="text-ink-soft">
        <Moment at={createdAt} />
      </span>
    </div>
  )
}

function AssignDialog({ money, onClose }: { money: Unattributed; onClose(): void }) {
  const [owner, setOwner] = useState<'merchant' | 'capital'>('merchant')
  const [merchantID, setMerchantID] = useState(money.merchantID ?? '')
  const [reason, setReason] = useState('')
  const once = useOnce()
  const assign = useAction(
    () =>
      once(api.assignUnattributed, {
        transactionID: money.id,
        body: {
          owner,
          ...(owner === 'merchant' ? { merchantID: merchantID.trim() } : {}),
          ...(reason === '' ? {} : { reason }),
        },
      }),
    { done: 'The deposit is assigned.', showsError: true, onDone: onClose },
  )
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Assign deposit"
      description={<Amount value={money.amount} unit={money.symbol} />}
      word="assign"
      action="Assign deposit"
      {...confirmed(assign)}
    >
      <SelectField
        label="Owner"
        value={owner}
        onValue={(value) => setOwner(value === 'capital' ? 'capital' : 'merchant')}
        options={[
          { value: 'merchant', label: 'a merchant' },
          { value: 'capital', label: 'this service (capital)' },
        ]}
      />
      {owner === 'merchant' && (
        <TextField
          label="Merchant ID"
          value={merchantID}
          onValue={setMerchantID}
          className="font-mono"
          error={fieldError(assign.error, 'merchantID')}
          required
        />
      )}
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        hint={
          money.amlOk
            ? 'Optional. Recorded in the audit trail.'
            : 'The sender did not pass screening. State why the deposit is released nevertheless.'
        }
        error={fieldError(assign.error, 'reason')}
        required={!money.amlOk}
      />
    </ConfirmDialog>
  )
}
