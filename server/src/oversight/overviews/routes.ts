import { Type } from 'typebox'
import type { Clock } from '../../core/clock.ts'
import { failField } from '../../core/errors.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { boundedText, decimalOf, nullable } from '../../platform/http/wire.ts'
import { type DayRange, dayText, lastDays, overviewDays, overviewDaysMax, readDay } from './overview.ts'
import { type OverviewParts, readOverview } from './read-overview.ts'

const usd = (what: string) => decimalOf(`${what}, in USD, rounded down to cents`, '1250.00')
const count = Type.Integer({ minimum: 0 })
const dayIn = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'a day in UTC, YYYY-MM-DD' })
const dayOut = Type.String({ description: 'a day in UTC, YYYY-MM-DD', examples: ['2026-11-22'] })

const OverviewView = Type.Object(
  {
    dateFrom: dayOut,
    dateTo: dayOut,
    volumeUsd: usd('the volume confirmed in this period, at the prices of the payments'),
    payments: count,
    unpricedPayments: Type.Integer({
      description: 'payments without a price, which are not part of any volume',
    }),
    conversion: Type.Object(
      {
        created: count,
        paid: count,
        expired: count,
        pending: count,
        percent: nullable(decimalOf('the share of created invoices that were paid', '61.4')),
      },
      { description: 'the outcome of the invoices that were created in this period' },
    ),
    before: Type.Object(
      {
        dateFrom: dayOut,
        dateTo: dayOut,
        volumeUsd: usd('the volume confirmed in the previous period'),
        payments: count,
        volumeChangePercent: nullable(
          decimalOf('the change in volume since then; negative if it has decreased', '12.5'),
        ),
        paymentsChangePercent: nullable(decimalOf('the change in the number of payments', '-4.0')),
        conversionPercent: nullable(
          decimalOf('the share of the invoices created then that were paid', '58.0'),
        ),
      },
      { description: 'the previous period of the same length; percentages are null if it has no data' },
    ),
    days: Type.Array(
      Type.Object({
        day: dayOut,
        volumeUsd: usd('the volume confirmed that day'),
        payments: count,
        invoicesCreated: count,
        invoicesPaid: Type.Integer({ description: 'invoices created that day that were paid' }),
      }),
      { description: 'every day of the period, oldest first' },
    ),
    methods: Type.Array(
      Type.Object({
        paymentMethodID: Type.Integer(),
        symbol: boundedText('the symbol of the asset'),
        network: boundedText('its network'),
        amount: decimalOf('the volume confirmed, in the asset'),
        volumeUsd: usd('the volume confirmed'),
        volumePercent: nullable(decimalOf('the share of the total volume; null if that is zero', '72.5')),
        payments: count,
      }),
    ),
    balances: Type.Object({
      totalUsd: usd('the sum of all available balances that have a price'),
      entries: Type.Array(
        Type.Object({
          paymentMethodID: Type.Integer(),
          symbol: boundedText('the symbol of the asset'),
          balance: decimalOf('the available balance'),
          usd: nullable(usd('the available balance; null if there was no price in the last hour')),
        }),
      ),
    }),
  },
  { title: 'Overview' },
)

export interface OverviewRouteParts extends OverviewParts {
  readonly clock: Clock
}

export function overviewRoutes(parts: OverviewRouteParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/overview',
      operationId: 'getOverview',
      tag: 'Dashboard',
      auth: 'any',
      summary: 'Read volume by day and method, the conversion of invoices, and balances in USD',
      query: Type.Object({ dateFrom: Type.Optional(dayIn), dateTo: Type.Optional(dayIn) }),
      replies: { 200: OverviewView },
      async handle({ merchant, query }) {
        const range = rangeOf(query, parts.clock.now())
        const overview = await readOverview(parts, merchant.id, range)
        const days = { dateFrom: dayText(range.from), dateTo: dayText(range.to) }
        return { status: 200, body: { ...days, ...overview } }
      },
    }),
  ]
}

/**
 * Returns the requested range of days, by default the last `overviewDays` days.
 * @throws Problem invalid-request if a day does not exist, or if the range is empty or too long
 */
function rangeOf(
  { dateFrom, dateTo }: { readonly dateFrom?: string; readonly dateTo?: string },
  now: Date,
): DayRange {
  const to = dateTo === undefined ? lastDays(now, 1).to : dayAt('query/dateTo', dateTo)
  const from = dateFrom === undefined ? lastDays(to, overviewDays).from : dayAt('query/dateFrom', dateFrom)
  if (from > to) throw failField('query/dateFrom', 'must not be after dateTo')
  if (from < lastDays(to, overviewDaysMax).from)
    throw failField('query/dateFrom', `must be at most ${overviewDaysMax} days before dateTo`)
  return { from, to }
}

function dayAt(pointer: string, text: string): Date {
  const day = readDay(text)
  if (day === undefined) throw failField(pointer, 'must be a day such as 2026-11-22')
  return day
}
