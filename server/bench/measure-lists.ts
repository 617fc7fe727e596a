/**
 * Measures the lists of a merchant with many invoices, with each filter alone and with combined filters.
 * Lists with combined filters are compared with plain SQL that has the same result.
 */
import type { Report } from './bench.ts'
import type { FilledMerchant } from './fill-invoices.ts'
import { figure, percentile, spreadOf } from './measurement.ts'
import { type MostAnswersParts, mostAnswers } from './most-answers.ts'
import type { Workload } from './open-load.ts'
import { runPgbench } from './run-pgbench.ts'

export interface ListsParts extends MostAnswersParts {
  readonly merchant: FilledMerchant
  readonly appUrl: string
  readonly invoices: number
  readonly durationMs: number
}

interface Filter {
  readonly query: string
  /**
   * The filter as an SQL condition. Undefined for a filter that is used alone, because its list has a fixed
   * target and is not compared with plain SQL.
   */
  readonly where?: string
  readonly order?: string
}

const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString()

const single: readonly Filter[] = [
  { query: '' },
  { query: 'orderBy=amount&order=asc' },
  { query: 'types[]=onetime' },
  { query: 'types[]=withdraw' },
  { query: 'states[]=paid' },
  { query: 'states[]=pending' },
  { query: 'tokens[]=USDC' },
  { query: 'collectStates[]=sweeping' },
  { query: 'amlOk=false' },
  { query: 'amlOk=true' },
  { query: 'showArchived=true' },
  { query: `dateFrom=${day(400.3)}` },
  { query: `dateTo=${day(200.7)}` },
  { query: 'amountFrom=99.5' },
  { query: 'amountTo=19.99' },
  { query: 'search=order+271828+' },
]

const unarchived = 'archived_at is null'

const combined: readonly Filter[] = [
  {
    query: 'types[]=onetime&states[]=expired&tokens[]=USDT',
    where: `${unarchived} and type = 'onetime' and state = 'expired' and payment_method_ids && '{1}'`,
  },
  {
    query: `states[]=paid&dateFrom=${day(300)}&dateTo=${day(90)}`,
    where: `${unarchived} and state = 'paid' and created_at between '${day(300)}' and '${day(90)}'`,
  },
  {
    query: 'states[]=paid&amountFrom=50&amountTo=500&orderBy=amount',
    where: `${unarchived} and state = 'paid' and amount_usd between 5000000000 and 50000000000`,
    order: 'amount_usd',
  },
  {
    query: `types[]=onetime&amlOk=true&amountFrom=20&dateFrom=${day(365)}`,
    where: `${unarchived} and type = 'onetime' and aml_ok and amount_usd >= 2000000000 and created_at >= '${day(365)}'`,
  },
  {
    query: 'search=hopper%3A+lamp&states[]=paid',
    where: `${unarchived} and state = 'paid'
      and id in (select invoice_id from invoice_text where search_text like '%hopper: lamp%')`,
  },
  {
    query: 'search=or&types[]=collect',
    where: `${unarchived} and type = 'collect' and search_text like '%or%'`,
  },
]

export async function measureLists(parts: ListsParts, report: Report): Promise<void> {
  for (const filter of single) await measureSingle(parts, filter, report)
  for (const filter of combined) await measureCombined(parts, filter, report)
}

async function measureSingle(parts: ListsParts, filter: Filter, report: Report): Promise<void> {
  const { most, spread, p99, cpu } = await measure(parts, filter)
  const bar = `list of ${parts.invoices}: ${filter.query === '' ? 'no filter' : filter.query}`
  report({ bar, must: { atLeast: 2_000 }, measured: most, unit: 'lists/s', remark: cpu })
  report({ bar: `${bar}, p99 at 80 %`, must: { atMost: 25 }, measured: p99, unit: 'ms', remark: spread })
}

/**
 * Measures combined filters. The target is a share of the rate of plain SQL. If plain SQL reaches many
 * thousands per second, HTTP is the limit, so the target of single filters applies.
 */
async function measureCombined(parts: ListsParts, filter: Filter, report: Report): Promise<void> {
  const reference = await runPgbench(parts.appUrl, scriptOf(parts, filter), parts.durationMs / 1000)
  const { most, spread, p99, cpu } = await measure(parts, filter)
  const bar = `list of ${parts.invoices}: ${filter.query}`
  const remark = `${figure(most)}/s; ${reference.by}, page and count(*): ${figure(reference.perSecond)}/s; ${cpu}`
  const isFast = reference.perSecond * 0.8 > 2_000
  const rate = isFast
    ? { must: { atLeast: 2_000 }, measured: most, unit: 'lists/s' }
    : { must: { atLeast: 0.8 }, measured: most / reference.perSecond, unit: 'of plain SQL' }
  report({ bar, ...rate, remark })
  report({ bar: `${bar}, p99 at 80 %`, must: { atMost: 500 }, measured: p99, unit: 'ms', remark: spread })
}

async function measure(parts: ListsParts, { query }: Filter) {
  const { load, merchant, durationMs } = parts
  const path = `/merchants/${merchant.merchantId}/invoices${query === '' ? '' : `?${query}`}`
  const workload: Workload = () => ({ method: 'GET', path, headers: { 'x-api-key': merchant.key } })
  const { perSecond: most, cpu } = await mostAnswers(parts, workload, durationMs)
  const tookMs = await load.arrive(workload, most * 0.8, durationMs)
  const spread = `${figure(most * 0.8)}/s: ${spreadOf(tookMs, 'ms')}`
  return { most, cpu, p99: percentile(tookMs, 0.99), spread }
}

function scriptOf({ merchant }: ListsParts, { where, order = 'created_at' }: Filter): string {
  const matching = `from invoice where merchant_id = '${merchant.merchantId}' and deleted_at is null and ${where}`
  return `select id, amount, type, state, created_at, payment_method_id, aml_ok ${matching}
    order by ${order} desc, id desc limit 20;
    select count(*) ${matching};`
    .replaceAll('\n', ' ')
    .replaceAll('; ', ';\n')
}
