import type { ReplyOf } from 'coffer-sdk'
import type { ReactNode } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { Moment } from '../../design/moment.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'

type Entry = ReplyOf<'getInvoiceTimeline'>['data'][number]

const titles: Readonly<Partial<Record<Entry['step'], string>>> = {
  'invoice.created': 'Created',
  'quote.given': 'Quote locked',
  'payment.seen': 'Payment seen',
  'payment.included': 'Included in block',
  'payment.confirmed': 'Confirmed and credited',
  'payment.quarantined': 'Held for screening',
  'payment.failed': 'Payment failed',
  'invoice.accepted': 'Accepted as paid',
  'invoice.closed': 'Closed',
  'invoice.paid': 'Paid',
  'invoice.expired': 'Expired',
  'webhook.delivered': 'Webhook delivered',
  'webhook.failing': 'Webhook failing',
  'webhook.waiting': 'Webhook pending',
  'webhook.given-up': 'Webhook delivery given up',
  'webhook.not-sent': 'No webhook configured',
}

const bad = new Set<string>(['payment.failed', 'webhook.failing', 'webhook.given-up', 'invoice.expired'])
const good = new Set<string>(['invoice.paid', 'payment.confirmed', 'webhook.delivered', 'invoice.accepted'])

/** Shows the steps of an invoice, from the quote to the credit and the webhook deliveries. */
export function InvoiceTimeline({ invoiceID }: { invoiceID: string }) {
  const { id: merchantID } = useMerchant()
  const { data } = useApi('getInvoiceTimeline', { merchantID, invoiceID })
  return (
    <Card title="Timeline">
      {data === undefined ? (
        <SkeletonLines count={5} />
      ) : (
        <ol>
          {data.data.map((entry, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: entries of the past keep their index
              key={index}
              className="relative grid gap-0.5 border-l border-line pb-4 pl-4 last:border-transparent last:pb-0"
            >
              <span
                aria-hidden
                className={`absolute top-1.5 -left-[4.5px] size-2 rounded-full ${dot(entry)}`}
              />
              <p className="font-medium">{titles[entry.step] ?? entry.step}</p>
              <Details entry={entry} />
              <p className="text-[0.8125rem] text-ink-soft">
                <Moment at={entry.at} />
              </p>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function dot({ step }: Entry): string {
  if (bad.has(step)) return 'bg-bad'
  return good.has(step) ? 'bg-good' : 'bg-line-strong'
}

function Details({ entry }: { entry: Entry }) {
  const { amount, currency, net, fee, until, txHash, blockHeight, eventType, attempts } = entry
  const parts: ReactNode[] = [
    amount !== undefined && <Amount key="amount" value={amount} unit={currency} />,
    net !== undefined && (
      <span key="net">
        credited <Amount value={net} unit={currency} />
      </span>
    ),
    fee !== undefined && (
      <span key="fee">
        fee <Amount value={fee} unit={currency} />
      </span>
    ),
    until !== undefined && (
      <span key="until">
        until <Moment at={until} />
      </span>
    ),
    blockHeight !== undefined && <span key="height">block {blockHeight}</span>,
    eventType !== undefined && <span key="event">{eventType}</span>,
    attempts !== undefined && attempts > 1 && <span key="attempts">{attempts} attempts</span>,
    txHash !== undefined && <Copyable key="hash" value={txHash} what="transaction hash" isShortened />,
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-[0.8125rem] text-ink-soft">
      {parts}
    </div>
  )
}
