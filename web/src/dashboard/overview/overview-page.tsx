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
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'
import { Balances } from './balances.tsx'
import { InvoiceShares, MethodShares } from './breakdowns.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LatestPayments } from './latest-payments.tsx'
import { type OverviewSearch, ranges, usualDays } from './overview.ts'

// The chart library is as large as the rest of the dashboard. Only pages with charts load it.
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
    { keepsPreviousData: true },
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
              <Plus aria-hidden /> Create invoice
            </Link>
          )}
        </>
      }
    >
      <FirstSteps />
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Figures overview={data} days={data?.days.length ?? days} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)]">
        <Card title="Volume" description="Confirmed payments by day (UTC), in US dollars.">
          <Suspense fallback={<ChartPlaceholder />}>
            {data === undefined ? (
              <ChartPlaceholder />
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
      <EmptyState icon={ChartColumn} title="No confirmed payments in these days">
        Payments count once they are confirmed. Pending payments are listed below.
      </EmptyState>
    </div>
  )
}

function ChartPlaceholder() {
  return <Skeleton className="h-64 w-full" />
}

/** Returns the UTC day `days` days ago, in the format of the API (YYYY-MM-DD). */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
