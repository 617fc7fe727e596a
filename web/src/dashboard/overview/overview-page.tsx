import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Dollars } from '../../design/amount.tsx'
import { buttonClasses } from '../../design/button.tsx'
import { Card, Figure } from '../../design/card.tsx'
import { SelectField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'
import { Balances } from './balances.tsx'
import { FirstSteps } from './first-steps.tsx'
import type { Overview } from './overview.ts'

// The library of charts is as large as all the rest: a page without charts does not wait for it.
const VolumeChart = lazy(() => import('./volume-chart.tsx'))
const MethodChart = lazy(() => import('./method-chart.tsx'))

const ranges = [7, 30, 90] as const

export function OverviewPage() {
  const { id: merchantID, merchant, canChange } = useMerchant()
  const [days, setDays] = useState(30)
  const { data, error } = useApi(
    'getOverview',
    { merchantID, dateFrom: daysAgo(days - 1) },
    { keepsShown: true },
  )
  return (
    <Page
      title={merchant.name}
      actions={
        <>
          <SelectField
            label="Days shown"
            isLabelHidden
            value={String(days)}
            onValue={(value) => setDays(Number(value))}
            options={ranges.map((range) => ({ value: String(range), label: `Last ${range} days` }))}
          />
          {canChange && (
            <Link to="/m/$merchantID/invoices/new" params={{ merchantID }} className={buttonClasses()}>
              <Plus aria-hidden /> New invoice
            </Link>
          )}
        </>
      }
    >
      <FirstSteps />
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Figures overview={data} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)]">
        <Card title="Volume" description="What was confirmed, by day of UTC, in US dollars.">
          <Suspense fallback={<ChartPlace />}>
            {data === undefined ? <ChartPlace /> : <VolumeChart days={data.days} />}
          </Suspense>
        </Card>
        <Card title="By method">
          <Suspense fallback={<ChartPlace />}>
            {data === undefined ? <ChartPlace /> : <MethodChart methods={data.methods} />}
          </Suspense>
        </Card>
      </div>
      <Balances balances={data?.balances} />
    </Page>
  )
}

function Figures({ overview }: { overview: Overview | undefined }) {
  const waiting = <Skeleton className="h-7 w-28" />
  const { conversion } = overview ?? {}
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <Figure
        name="Volume"
        value={overview === undefined ? waiting : <Dollars value={overview.volumeUsd} />}
        note={unpricedNote(overview)}
      />
      <Figure
        name="Payments"
        value={overview?.payments ?? waiting}
        note={overview !== undefined && 'confirmed'}
      />
      <Figure
        name="Conversion"
        value={
          conversion === undefined ? waiting : conversion.percent === null ? '–' : `${conversion.percent} %`
        }
        note={conversion !== undefined && `${conversion.paid} of ${conversion.created} invoices paid`}
      />
      <Figure
        name="Available"
        value={overview === undefined ? waiting : <Dollars value={overview.balances.totalUsd} />}
        note={overview !== undefined && 'at prices of now'}
      />
    </div>
  )
}

function unpricedNote(overview: Overview | undefined): string {
  if (overview === undefined) return ''
  const { unpricedPayments: count } = overview
  return count === 0 ? 'confirmed payments' : `without ${count} payments that had no price`
}

function ChartPlace() {
  return <Skeleton className="h-60 w-full" />
}

/** A day of UTC, as the API names days. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
