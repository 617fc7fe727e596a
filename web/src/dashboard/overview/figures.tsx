import { ArrowDownRight, ArrowUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dollars } from '../../design/amount.tsx'
import { Figure } from '../../design/card.tsx'
import { groupDigits } from '../../design/format-amount.ts'
import { Skeleton } from '../../design/skeleton.tsx'
import type { Overview } from './overview.ts'

export function Figures({ overview, days }: { overview: Overview | undefined; days: number }) {
  if (overview === undefined) return <FigurePlaceholders />
  const { conversion, before, unpricedPayments: unpriced } = overview
  const since = `the previous ${days} days`
  return (
    <Row>
      <Figure
        name="Volume"
        value={<Dollars value={overview.volumeUsd} />}
        note={
          <>
            <Change percent={before.volumeChangePercent} since={since} />
            {unpriced > 0 && (
              <p>excludes {unpriced === 1 ? '1 payment' : `${unpriced} payments`} without a price</p>
            )}
          </>
        }
      />
      <Figure
        name="Payments"
        value={groupDigits(String(overview.payments))}
        note={<Change percent={before.paymentsChangePercent} since={since} />}
      />
      <Figure
        name="Conversion"
        value={conversion.percent === null ? '–' : `${conversion.percent} %`}
        note={
          <>
            {conversion.paid} of {conversion.created} invoices paid
            {before.conversionPercent !== null && (
              <p>
                {before.conversionPercent} % in {since}
              </p>
            )}
          </>
        }
      />
      <Figure
        name="Available"
        value={<Dollars value={overview.balances.totalUsd} />}
        note="at current prices"
      />
    </Row>
  )
}

/**
 * Shows the change compared with the period before. The server computes it, because the browser never
 * computes amounts.
 */
function Change({ percent, since }: { percent: string | null; since: string }) {
  if (percent === null) return <>none in {since}</>
  const isLess = percent.startsWith('-')
  const Icon = isLess ? ArrowDownRight : ArrowUpRight
  return (
    <>
      <span className={`inline-flex items-center gap-0.5 font-medium ${isLess ? 'text-bad' : 'text-good'}`}>
        <Icon aria-label={isLess ? 'down' : 'up'} className="size-3.5" />
        {groupDigits(percent.replace('-', ''))} %
      </span>{' '}
      vs. {since}
    </>
  )
}

function Row({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">{children}</div>
}

function FigurePlaceholders() {
  return (
    <Row>
      {['Volume', 'Payments', 'Conversion', 'Available'].map((name) => (
        <Figure
          key={name}
          name={name}
          value={<Skeleton className="h-7 w-28" />}
          note={<Skeleton className="w-36 max-w-full" />}
        />
      ))}
    </Row>
  )
}
