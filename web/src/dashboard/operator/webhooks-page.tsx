import { Activity } from 'lucide-react'
import { Card, Figure } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'

export function WebhooksPage() {
  const { data, error } = useApi('getWebhookBacklog', {}, { everyMs: 5_000 })
  const waiting = <Skeleton className="h-7 w-20" />
  const oldest = data?.oldestDueSeconds
  return (
    <Page title="Webhook backlog" description="Events that merchants' servers have not been told of yet.">
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4">
        <Figure name="To be delivered" value={data?.pending ?? waiting} />
        <Figure name="Due now" value={data?.due ?? waiting} />
        <Figure
          name="The oldest due waits"
          value={
            data === undefined
              ? waiting
              : oldest === null || oldest === undefined
                ? '–'
                : `${Math.round(oldest)} s`
          }
        />
      </div>
      <Card title="Where most wait" isFlush>
        <Table
          label="Merchants with waiting deliveries"
          rows={data?.merchants}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Merchant',
              cell: ({ name }) => <span className="[overflow-wrap:anywhere]">{name}</span>,
            },
            { head: 'Failing since', cell: ({ failingSince }) => <Moment at={failingSince} />, isWide: true },
            { head: 'Disabled', cell: ({ disabledAt }) => <Moment at={disabledAt} />, isWide: true },
            { head: 'Waiting', isFigure: true, cell: ({ pending }) => pending },
          ]}
          empty={
            <EmptyState icon={Activity} title="Every server is told of everything">
              A merchant whose server does not answer shows here, with how much it has not heard.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}
