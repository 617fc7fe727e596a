import { Card } from '../../design/card.tsx'
import { Moment } from '../../design/moment.tsx'
import type { InvoiceRecord } from './invoice-record.ts'

interface Step {
  readonly what: string
  readonly at: string
}

/** What happened to an invoice, in its order. */
export function InvoiceTimeline({ invoice }: { invoice: InvoiceRecord }) {
  const steps: readonly Step[] = [
    { what: 'Created', at: invoice.createdAt },
    ...invoice.transactions.flatMap(({ amount, currency, createdAt, confirmedAt }) => [
      { what: `${amount} ${currency} seen`, at: createdAt },
      ...(confirmedAt === null ? [] : [{ what: `${amount} ${currency} confirmed`, at: confirmedAt }]),
    ]),
    ...(invoice.paidAt === null ? [] : [{ what: 'Paid', at: invoice.paidAt }]),
    ...(invoice.closedAt === null ? [] : [{ what: 'Closed', at: invoice.closedAt }]),
  ]
  const inOrder = [...steps].sort((a, b) => a.at.localeCompare(b.at))
  return (
    <Card title="What happened">
      <ol className="grid gap-0">
        {inOrder.map(({ what, at }, place) => (
          <li
            key={`${what} ${at}`}
            className="relative grid gap-0.5 border-l border-line pb-4 pl-4 last:pb-0"
          >
            <span
              aria-hidden
              className={`absolute top-1.5 -left-[4.5px] size-2 rounded-full ${place === inOrder.length - 1 ? 'bg-accent' : 'bg-line-strong'}`}
            />
            <p className="font-medium [overflow-wrap:anywhere]">{what}</p>
            <p className="text-[0.8125rem] text-ink-soft">
              <Moment at={at} />
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}
