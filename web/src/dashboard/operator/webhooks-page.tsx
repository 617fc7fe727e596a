import type { ReplyOf } from 'coffer-sdk'
import { Activity } from 'lucide-react'
import { StateBadge } from '../../design/badge.tsx'
import { Card, Figure } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { duration } from '../../design/format-duration.ts'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { MerchantName } from './row.tsx'

type Waiting = ReplyOf<'getWebhookBacklog'>['merchants'][number]

export function WebhooksPage() {
  const { data, error } = useApi('getWebhookBacklog', {}, { everyMs: 5_000 })
  const waiting = <Skeleton className="h-7 w-20" />
  const oldest = data?.oldestDueSeconds
  return (
    <Page title="Webhook queue" description="Events that were not delivered to merchants' servers yet.">
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4">
        <Figure name="Pending" value={data?.pending ?? waiting} />
        <Figure name="Due now" value={data?.due ?? waiting} />
        <div className="grid max-sm:col-span-2">
          <Figure
            name="Oldest due"
            value={
              data === undefined ? waiting : oldest === null || oldest === undefined ? '–' : duration(oldest)
            }
          />
        </div>
      </div>
      <Card title="Merchants with most pending deliveries" isFlush>
        <Table
          label="Merchants with pending deliveries"
          rows={data?.merchants}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Merchant',
              cell: (merchant) => (
                <>
                  <MerchantName merchantID={merchant.id} merchantName={merchant.name} />
                  <MobileDetails>
                    <Trouble {...merchant} />
                  </MobileDetails>
                </>
              ),
            },
            { head: 'Server', cell: (merchant) => <Trouble {...merchant} />, isWide: true },
            { head: 'Pending', isFigure: true, cell: ({ pending }) => pending },
          ]}
          empty={
            <EmptyState icon={Activity} title="No pending deliveries">
              A merchant whose server does not respond is listed here with its number of pending deliveries.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}

/** Shows when the merchant's server began to fail, and whether deliveries are still attempted. */
function Trouble({ disabledAt, failingSince }: Waiting) {
  const since = disabledAt ?? failingSince
  if (since === null) return 'responding'
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <StateBadge state={disabledAt === null ? 'failing' : 'disabled'} />
      <span className="text-ink-soft">
        since <Moment at={since} />
      </span>
    </span>
  )
}
