import type { components } from 'coffer-sdk'
import { Radio } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'

type Event = components['schemas']['Event']

const shownAtOnce = 50

/**
 * Shows the newest events first. The feed can only be read forwards. Each page is therefore read from a fixed
 * number of events before its last event.
 */
export function EventsPage() {
  const { id: merchantID } = useMerchant()
  const [older, setOlder] = useState(0)
  const [shown, setShown] = useState<Event>()
  const end = useApi('listEvents', { merchantID, after: 0, limit: 1 })
  const last = end.data?.last ?? 0
  const until = Math.max(0, last - older)
  const after = Math.max(0, until - shownAtOnce)
  const events = useApi(
    'listEvents',
    { merchantID, after, limit: shownAtOnce },
    { isWanted: end.data !== undefined, keepsPreviousData: true },
  )
  // Set if the page contains sequence numbers that were lost in a failover. These numbers have no events, so
  // the page skips them.
  const below = events.data?.readAgainAfter
  const failure = end.error ?? events.error
  return (
    <Page
      title="Events"
      description="All events in order, as the webhook delivers them. New events appear automatically."
      actions={older === 0 && <Badge tone="good">live</Badge>}
    >
      {failure !== null && <Notice tone="bad">{errorText(failure)}</Notice>}
      <Card isFlush>
        <EventTable events={events.data?.data} onShow={setShown} />
      </Card>
      {(older > 0 || after > 0) && (
        <div className="flex justify-between">
          <Button
            variant="secondary"
            disabled={older === 0}
            onClick={() => setOlder(below === undefined ? Math.max(0, older - shownAtOnce) : 0)}
          >
            Newer
          </Button>
          <Button
            variant="secondary"
            disabled={after === 0}
            onClick={() => setOlder(last - (below ?? after))}
          >
            Older
          </Button>
        </div>
      )}
      {shown !== undefined && <EventDialog event={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

interface EventTableProps {
  readonly events: readonly Event[] | undefined
  onShow(event: Event): void
}

function EventTable({ events, onShow }: EventTableProps) {
  return (
    <Table
      label="Events"
      rows={events === undefined ? undefined : [...events].reverse()}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'No.',
          cell: ({ sequence }) => <span className="text-ink-soft">{sequence}</span>,
          isWide: true,
        },
        {
          head: 'Event',
          cell: (event) => (
            <button
              type="button"
              className="text-left font-medium after:absolute after:inset-0"
              onClick={() => onShow(event)}
            >
              {event.type}
            </button>
          ),
        },
        {
          head: 'Subject',
          cell: (event) => <span className="text-ink-soft">{subjectOf(event)}</span>,
          isWide: true,
        },
        { head: 'Time', isFigure: true, cell: ({ timestamp }) => <Moment at={timestamp} /> },
      ]}
      empty={
        <EmptyState icon={Radio} title="No events yet">
          The first event appears when an invoice is paid or expires.
        </EmptyState>
      }
    />
  )
}

function EventDialog({ event, onClose }: { event: Event; onClose(): void }) {
  return (
    <Dialog isOpen onOpen={onClose} title={event.type}>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must reach what scrolls
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg border border-line bg-band p-3 font-mono text-xs"
      >
        {JSON.stringify(event, undefined, 2)}
      </pre>
    </Dialog>
  )
}

function subjectOf({ data }: Event): string {
  const amount = 'amount' in data ? data.amount : undefined
  const currency = 'currency' in data ? data.currency : 'USD'
  if (amount !== undefined) return `${amount} ${currency}`
  return 'url' in data ? data.url : ''
}
