import type { components } from 'coffer-sdk'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { StateBadge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { MobileDetails, Table } from '../../design/table.tsx'
import { api } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useAction, useApi } from '../use-api.ts'

type Delivery = components['schemas']['Delivery']

const limit = 20

export function Deliveries({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID } = useMerchant()
  const { data } = useApi(
    'listWebhookDeliveries',
    { merchantID, limit, page },
    { keepsPreviousData: true, everyMs: 5_000 },
  )
  const [shown, setShown] = useState<Delivery>()
  return (
    <Card title="Deliveries" isFlush>
      <Table
        label="Deliveries"
        rows={data?.data}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Event',
            cell: (delivery) => (
              <>
                <button
                  type="button"
                  className="text-left font-medium after:absolute after:inset-0"
                  onClick={() => setShown(delivery)}
                >
                  {delivery.type}
                </button>
                <MobileDetails>
                  <Moment at={delivery.createdAt} />
                </MobileDetails>
              </>
            ),
          },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          {
            head: 'Last response',
            cell: ({ lastStatus, lastError }) => (
              <span className="line-clamp-1 max-w-64">{lastStatus ?? lastError ?? '–'}</span>
            ),
            isWide: true,
          },
          { head: 'Attempts', isFigure: true, cell: ({ attempts }) => attempts, isWide: true },
          {
            head: 'Created',
            isFigure: true,
            cell: ({ createdAt }) => <Moment at={createdAt} />,
            isWide: true,
          },
        ]}
        paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
        empty={
          <EmptyState icon={Send} title="No deliveries yet">
            Each request to your server is listed here with its response, and can be sent again.
          </EmptyState>
        }
      />
      {shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </Card>
  )
}

function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose(): void }) {
  const { id: merchantID, canChange } = useMerchant()
  const input = { merchantID, deliveryID: delivery.id }
  const { data: record } = useApi('getWebhookDelivery', input)
  const again = useAction(() => api.redeliverWebhookDelivery(input), {
    done: 'The delivery is sent again.',
    onDone: onClose,
  })
  return (
    <Dialog isOpen onOpen={onClose} title={delivery.type}>
      {record === undefined ? (
        <SkeletonLines count={6} />
      ) : (
        <>
          <Facts>
            <Fact name="State">
              <StateBadge state={record.state} />
            </Fact>
            {record.nextAttemptAt !== null && (
              <Fact name="Next attempt">
                <Moment at={record.nextAttemptAt} />
              </Fact>
            )}
          </Facts>
          <section aria-label="Attempts" className="grid gap-2">
            {record.attemptLog.map((attempt) => (
              <div key={attempt.number} className="rounded-lg border border-line p-3">
                <p className="flex flex-wrap justify-between gap-2 font-medium">
                  <span>
                    Attempt {attempt.number}: {attempt.status ?? attempt.error ?? 'no response'}
                  </span>
                  <span className="font-normal text-ink-soft">
                    <Moment at={attempt.startedAt} />, {attempt.tookMs} ms
                  </span>
                </p>
                {attempt.excerpt !== null && (
                  <pre className="mt-1 overflow-x-auto font-mono text-xs whitespace-pre-wrap text-ink-soft">
                    {attempt.excerpt}
                  </pre>
                )}
              </div>
            ))}
          </section>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must reach what scrolls
            tabIndex={0}
            className="max-h-64 overflow-auto rounded-lg border border-line bg-band p-3 font-mono text-xs"
          >
            {indented(record.body)}
          </pre>
          {canChange && (
            <div className="flex justify-end">
              <Button isBusy={again.isPending} onClick={() => again.mutate(undefined)}>
                Send again
              </Button>
            </div>
          )}
        </>
      )}
    </Dialog>
  )
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
