import { Link } from '@tanstack/react-router'
import { ChartColumn, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { SelectField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'
import { Balances } from './balances.tsx'
import { InvoiceShares, MethodShares } from './breakdowns.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LatestPayments } from './latest-payments.tsx'
import { type OverviewSearch, ranges, usualDays } from './overview.ts'

// The library of charts is as large as all the rest: a page without charts does not wait for it.
const VolumeChart = lazy(() => import('./volume-chart.tsx'))

interface OverviewProps {
  readonly search: OverviewSearch
  onSearch(search: OverviewSearch): void
}

export function OverviewPage({ search: { days = usualDays }, onSearch }: OverviewProps) {
  const { id: merchantID, merchant, canChange } = useMerchant()
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
            onValue={(value) => onSearch(Number(value) === usualDays ? {} : { days: Number(value) })}
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
      <Figures overview={data} days={data?.days.length ?? days} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)]">
        <Card title="Volume" description="What was confirmed, by day of UTC, in US dollars.">
          <Suspense fallback={<ChartPlace />}>
            {data === undefined ? (
              <ChartPlace />
            ) : data.payments === 0 ? (
              <NothingConfirmed />
            ) : (
              <VolumeChart days={data.days} />
            )}
          </Suspense>
        </Card>
        <div className="grid content-start gap-5">
          {data?.payments !== 0 && <MethodShares methods={data?.methods} />}
          <InvoiceShares overview={data} />
        </div>
        <LatestPayments />
        <Balances balances={data?.balances} />
      </div>
    </Page>
  )
}

function NothingConfirmed() {
  return (
    <div className="grid min-h-64 content-center">
      <EmptyState icon={ChartColumn} title="Nothing was confirmed in these days">
        Payments count from when they are confirmed. Those that are on their way show below.
      </EmptyState>
    </div>
  )
}

function ChartPlace() {
  return <Skeleton className="h-64 w-full" />
}

/** A day of UTC, as the API names days. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
