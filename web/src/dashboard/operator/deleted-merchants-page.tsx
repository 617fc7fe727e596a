import type { ReplyOf } from 'coffer-sdk'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, errorText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'

type Deleted = ReplyOf<'listDeletedMerchants'>[number]

/** Lists deleted merchants that can still be restored. */
export function DeletedMerchantsPage() {
  const { data, error } = useApi('listDeletedMerchants', {})
  const [restored, setRestored] = useState<Deleted>()
  return (
    <Page
      title="Deleted merchants"
      description="A deleted merchant can be restored for 30 days, with its members, invoices and balances."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Deleted merchants"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Merchant',
              cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span>,
            },
            {
              head: 'ID',
              cell: ({ id }) => <Copyable value={id} what="merchant ID" isShortened />,
              isWide: true,
            },
            { head: 'Deleted', cell: ({ deletedAt }) => <Moment at={deletedAt} />, isWide: true },
            { head: 'Restorable until', cell: ({ restorableUntil }) => <Moment at={restorableUntil} /> },
            {
              head: 'Actions',
              isFigure: true,
              cell: (one) => (
                <Button variant="secondary" onClick={() => setRestored(one)}>
                  Restore
                </Button>
              ),
            },
          ]}
          empty={
            <EmptyState icon={Undo2} title="No deleted merchants">
              A merchant that its owner deletes is listed here for 30 days. Its remaining money is kept
              separate until then.
            </EmptyState>
          }
        />
      </Card>
      {restored !== undefined && <RestoreDialog merchant={restored} onClose={() => setRestored(undefined)} />}
    </Page>
  )
}

function RestoreDialog({ merchant, onClose }: { merchant: Deleted; onClose(): void }) {
  const restore = useAction(() => api.restoreOperatorMerchant({ id: merchant.id }), {
    done: `${merchant.name} is restored.`,
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title={`Restore ${merchant.name}?`}
      description="Its members, invoices and balances are restored, and payments received in the meantime belong to it. Its API key and webhook are not restored."
      word="restore"
      action="Restore merchant"
      {...confirmed(restore)}
    />
  )
}
