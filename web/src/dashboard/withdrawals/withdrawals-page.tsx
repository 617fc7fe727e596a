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
import { MobileDetails, Table } from '../../design/table.tsx'
import { api, errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { MethodName } from '../methods.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { WithdrawalDestination } from './withdrawal-destination.tsx'

export type Withdrawal = components['schemas']['Withdrawal']

const limit = 20

const waits: Readonly<Record<string, string>> = {
  debt: 'Waiting: the merchant has a negative balance, because a payment was reversed.',
  funds: 'Waiting: received payments are not final yet, or are still being swept to the hot wallet.',
  screening: 'Waiting: the address is being screened.',
  rate: 'Waiting: there is no current price.',
  operator: 'Waiting: an operator must approve the withdrawal.',
  'gas-budget':
    'Waiting: the network fees of the last 24 hours exceed what this service spends for one merchant in a day.',
}

export function WithdrawalsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, canChange, symbolOf, methodOf } = useMerchant()
  const { data, error } = useApi('listWithdrawals', { merchantID, limit, page }, { keepsPreviousData: true })
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
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Withdrawals"
          rows={data?.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Amount',
              cell: ({ id, amount, paymentMethodID }) => (
                <>
                  <button
                    type="button"
                    onClick={() => setShownID(id)}
                    className="font-medium after:absolute after:inset-0"
                  >
                    <Amount value={amount} unit={symbolOf(paymentMethodID)} />
                  </button>
                  <MobileDetails>
                    <MethodName method={methodOf(paymentMethodID)} />
                  </MobileDetails>
                </>
              ),
            },
            {
              head: 'Method',
              cell: ({ paymentMethodID }) => <MethodName method={methodOf(paymentMethodID)} />,
              isWide: true,
            },
            { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            { head: 'Stage', cell: ({ stage }) => stage?.replaceAll('_', ' ') ?? '–', isWide: true },
            {
              head: 'Recipient',
              cell: ({ address }) => <Copyable value={address} what="address" isShortened />,
              isWide: true,
            },
            { head: 'Created', isFigure: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={ArrowUpFromLine} title="No withdrawals yet">
              A withdrawal sends your available balance to an address of yours. You review it before it is
              sent.
            </EmptyState>
          }
        />
      </Card>
      {shown !== undefined && <WithdrawalDialog withdrawal={shown} onClose={() => setShownID(undefined)} />}
    </Page>
  )
}

function WithdrawalDialog({ withdrawal, onClose }: { withdrawal: Withdrawal; onClose(): void }) {
  const { canChange, symbolOf, methodOf } = useMerchant()
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
        <Notice tone="note">{waits[withdrawal.waitsFor] ?? `Waiting for ${withdrawal.waitsFor}.`}</Notice>
      )}
      {withdrawal.explanation !== null && <Notice tone="warn">{withdrawal.explanation}</Notice>}
      <Facts>
        <Fact name="Payment method">
          <MethodName method={methodOf(withdrawal.paymentMethodID)} />
        </Fact>
        <Fact name="Total debited">
          <Amount value={withdrawal.amount} unit={unit} />
        </Fact>
        <Fact name="Fee">
          <Amount value={withdrawal.fee} unit={unit} />
        </Fact>
        <Fact name="Recipient receives">
          <Amount value={withdrawal.net} unit={unit} />
        </Fact>
        {withdrawal.networkCost !== null && (
          <Fact name="Network fee of the failed transaction">
            <Amount value={withdrawal.networkCost} unit={unit} />
          </Fact>
        )}
        <WithdrawalDestination
          address={withdrawal.address}
          txHash={withdrawal.txHash}
          method={methodOf(withdrawal.paymentMethodID)}
        />
        <Fact name="Created">
          <Moment at={withdrawal.createdAt} />
        </Fact>
      </Facts>
      {canChange && isCancellable && (
        <div className="flex justify-end">
          <Button variant="secondary" onClick={() => setEnding(true)}>
            Cancel withdrawal
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function CancelDialog({ withdrawal, onClose }: { withdrawal: Withdrawal; onClose(): void }) {
  const { id: merchantID } = useMerchant()
  const cancel = useAction(() => api.cancelWithdrawal({ merchantID, withdrawalID: withdrawal.id }), {
    done: 'The withdrawal is cancelled. Its amount is available again.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Cancel the withdrawal?"
      description="Its amount is available again at once. A withdrawal that is being sent can no longer be cancelled."
      word="cancel"
      action="Cancel withdrawal"
      dismiss="Keep withdrawal"
      {...confirmed(cancel)}
    />
  )
}
