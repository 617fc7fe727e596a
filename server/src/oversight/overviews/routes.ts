import { Type } from 'typebox'
import type { Clock } from '../../core/clock.ts'
import { failField } from '../../core/errors.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { boundedText, decimalOf, nullable } from '../../platform/http/wire.ts'
import { type DayRange, dayText, lastDays, overviewDays, overviewDaysMax, readDay } from './overview.ts'
import { type OverviewParts, readOverview } from './read-overview.ts'

const usd = (what: string) => decimalOf(`${what}, in USD, rounded down to cents`, '1250.00')
const count = Type.Integer({ minimum: 0 })
const dayIn = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'a day of UTC, YYYY-MM-DD' })
const dayOut = Type.String({ description: 'a day of UTC, YYYY-MM-DD', examples: ['2026-11-22'] })

const OverviewView = Type.Object(
  {
    dateFrom: dayOut,
    dateTo: dayOut,
    volumeUsd: usd('what was confirmed in these days, at the prices it was valued at'),
    payments: count,
    unpricedPayments: Type.Integer({ description: 'those without a price, which no volume contains' }),
    conversion: Type.Object(
      {
        created: count,
        paid: count,
        expired: count,
        pending: count,
        percent: nullable(decimalOf('paid of created', '61.4')),
      },
      { description: 'what became of the invoices that were created in these days' },
    ),
    before: Type.Object(
      {
        dateFrom: dayOut,
        dateTo: dayOut,
        volumeUsd: usd('what was confirmed then'),
        payments: count,
        volumeChangePercent: nullable(
          decimalOf('how much more volume there is now, with a minus: less', '12.5'),
        ),
        paymentsChangePercent: nullable(decimalOf('likewise of payments', '-4.0')),
        conversionPercent: nullable(decimalOf('paid of the invoices created then', '58.0')),
      },
      { description: 'as many days before these; percentages are null where nothing was then' },
    ),
    days: Type.Array(
      Type.Object({
        day: dayOut,
        volumeUsd: usd('what was confirmed that day'),
        payments: count,
        invoicesCreated: count,
        invoicesPaid: Type.Integer({ description: 'of those created that day' }),
      }),
      { description: 'every day, the first one first' },
    ),
    methods: Type.Array(
      Type.Object({
        paymentMethodID: Type.Integer(),
        symbol: boundedText('the symbol of the asset'),
        network: boundedText('its network'),
        amount: decimalOf('what was confirmed, in the asset'),
        volumeUsd: usd('the same'),
        volumePercent: nullable(decimalOf('of all volume; null where there is none', '72.5')),
        payments: count,
      }),
    ),
    balances: Type.Object({
      totalUsd: usd('all that is available and has a price'),
      entries: Type.Array(
        Type.Object({
          paymentMethodID: Type.Integer(),
          symbol: boundedText('the symbol of the asset'),
          balance: decimalOf('what is available'),
          usd: nullable(usd('the same; null where nothing was priced in the last hour')),
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
      summary: 'Show volume by day and method, how many invoices were paid, and balances in USD',
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

/** @throws Problem invalid-request */
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
