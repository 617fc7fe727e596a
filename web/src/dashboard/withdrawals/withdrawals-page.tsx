import { Link } from '@tanstack/react-router'
import type { components } from 'coffer-sdk'
import { ArrowUpFromLine, Plus } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { StateBadge } from '../../design/badge.tsx'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog, Dialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { WithdrawalDestination } from './withdrawal-destination.tsx'

export type Withdrawal = components['schemas']['Withdrawal']

const limit = 20

const waits: Readonly<Record<string, string>> = {
  debt: 'Waits: the merchant owes for a payment that was taken back.',
  funds: 'Waits: the coins are being gathered into the wallet.',
  screening: 'Waits: the address is being screened.',
  rate: 'Waits: there is no fresh price.',
  operator: 'Waits: an operator has to approve it.',
  'gas-budget':
    'Waits: network fees of the last 24 hours are above what this service spends for one merchant in a day.',
}

export function WithdrawalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, canChange, symbolOf } = useMerchant()
  const { data, error } = useApi('listWithdrawals', { merchantID, limit, page }, { keepsShown: true })
  const [shownID, setShownID] = useState<string>()
  const shown = data?.data.find(({ id }) => id === shownID)
  return (
    <Page
      title="Withdrawals"
      actions={
        canChange && (
          <Link to="/m/$merchantID/withdrawals/new" params={{ merchantID }} className={buttonClasses()}>
            <Plus aria-hidden /> Withdraw
          </Link>
        )
      }
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Withdrawals"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: ({ id, amount, paymentMethodID }) => (
                <button
                  type="button"
                  onClick={() => setShownID(id)}
                  className="font-medium after:absolute after:inset-0"
                >
                  <Amount value={amount} unit={symbolOf(paymentMethodID)} />
                </button>
              ),
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            { head: 'Stage', cell: ({ stage }) => stage?.replaceAll('_', ' ') ?? '–', isWide: true },
            {
              head: 'To',
              cell: ({ address }) => <Copyable value={address} what="address" isShortened />,
              isWide: true,
            },
            { head: 'Created', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={ArrowUpFromLine} title="Nothing was withdrawn yet">
              A withdrawal sends what is available to an address of yours. You review it before it goes.
            </EmptyState>
          }
        />
      </Card>
      {shown !== undefined && <WithdrawalDialog withdrawal={shown} onClose={() => setShownID(undefined)} />}
    </Page>
  )
}

function WithdrawalDialog({ withdrawal, onClose }: { withdrawal: Withdrawal; onClose(): void }) {
  const { canChange, symbolOf } = useMerchant()
  const [isEnding, setEnding] = useState(false)
  const unit = symbolOf(withdrawal.paymentMethodID)
  const isCancellable =
    withdrawal.state === 'pending' && (withdrawal.stage === 'queued' || withdrawal.stage === 'approved')
  if (isEnding) return <CancelDialog withdrawal={withdrawal} onClose={onClose} />
  return (
    <Dialog isOpen onOpen={onClose} title="Withdrawal">
      <div className="flex flex-wrap gap-2">
        <StateBadge state={withdrawal.state} />
        {withdrawal.state === 'pending' && withdrawal.stage !== null && (
          <StateBadge state={withdrawal.stage} />
        )}
      </div>
      {withdrawal.waitsFor !== null && (
        <Notice tone="note">{waits[withdrawal.waitsFor] ?? `Waits for ${withdrawal.waitsFor}.`}</Notice>
      )}
      {withdrawal.explanation !== null && <Notice tone="warn">{withdrawal.explanation}</Notice>}
      <Facts>
        <Fact name="Taken">
          <Amount value={withdrawal.amount} unit={unit} />
        </Fact>
        <Fact name="Fee">
          <Amount value={withdrawal.fee} unit={unit} />
        </Fact>
        <Fact name="Sent">
          <Amount value={withdrawal.net} unit={unit} />
        </Fact>
        {withdrawal.networkCost !== null && (
          <Fact name="Network cost of the failure">
            <Amount value={withdrawal.networkCost} unit={unit} />
          </Fact>
        )}
        <WithdrawalDestination address={withdrawal.address} txHash={withdrawal.txHash} />
        <Fact name="Created">
          <Moment at={withdrawal.createdAt} />
        </Fact>
      </Facts>
      {canChange && isCancellable && (
        <div className="flex justify-end">
          <Button look="secondary" onClick={() => setEnding(true)}>
            Cancel the withdrawal
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function CancelDialog({ withdrawal, onClose }: { withdrawal: Withdrawal; onClose(): void }) {
  const { id: merchantID } = useMerchant()
  const cancel = useAction(() => api.cancelWithdrawal({ merchantID, withdrawalID: withdrawal.id }), {
    done: 'The withdrawal is cancelled; its amount is available again.',
    showsFault: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Cancel the withdrawal?"
      description="Its amount is available again at once. It cannot be cancelled any more once it is being sent."
      word="cancel"
      action="Cancel the withdrawal"
      {...confirmed(cancel)}
    />
  )
}
