/**
 * Maintains counts of invoices and builds SQL for totals. A total includes the changes that are not yet added
 * to the counts, so it is exact.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Aggregate } from '../../../platform/db/aggregate.ts'
import {
  amountBucketOf,
  amountsPerBlock,
  type BucketRange,
  dayOf,
  daysPerBlock,
  leastAbove,
  leastOfBucket,
  type Span,
  splitRange,
  startOfDay,
} from './count-range.ts'
import type { InvoiceFilter } from './list-filter.ts'

export const invoiceCounts: Aggregate = {
  name: 'aggregate-invoice-counts',
  changes: 'invoice_count_change',
  lock: 0x666f6c64, // "fold" in ASCII
  sums: sql`
    facets as (
      insert into invoice_facet_count as kept
      select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived, sum(difference)
      from taken group by 1, 2, 3, 4, 5, 6, 7 having sum(difference) <> 0
      on conflict (merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived)
      do update set invoices = kept.invoices + excluded.invoices
    ), ranges as (
      insert into invoice_range_count as kept
      select merchant_id, scale, bucket, is_archived, sum(difference)
      from taken cross join lateral invoice_scales(created_at, amount_usd)
      group by 1, 2, 3, 4 having sum(difference) <> 0
      on conflict (merchant_id, scale, bucket, is_archived)
      do update set invoices = kept.invoices + excluded.invoices
    ), outcomes as (
      insert into invoice_outcome_count as kept
      select merchant_id, (created_at at time zone 'UTC')::date, state, sum(difference)
      from taken where type <> 'withdraw'
      group by 1, 2, 3 having sum(difference) <> 0
      on conflict (merchant_id, day, state)
      do update set invoices = kept.invoices + excluded.invoices
    )`,
}

const facetColumns = raw('payment_method_ids, type, state, aml_ok, collect_state, is_archived')

/**
 * Selects the facets that match a filter, with the number of invoices in each. A facet is the set of invoices
 * that have equal values in all of `facetColumns`. Conditions on other columns are ignored.
 */
export function facetsOf(filter: InvoiceFilter): Sql {
  const through = facetConditions(filter)
  return sql`
    select ${facetColumns}, sum(invoices)::bigint as invoices
    from (
      select ${facetColumns}, invoices from invoice_facet_count where ${through}
      union all
      select ${facetColumns}, difference from invoice_count_change where ${through}
    ) part
    group by ${facetColumns} having sum(invoices) > 0`
}

/** Returns SQL for the number of all invoices of a merchant that are not deleted. */
export function wholeOf({ merchantId }: InvoiceFilter): Sql {
  return sql`
    (select coalesce(sum(invoices), 0) from invoice_facet_count where merchant_id = ${merchantId}::uuid)
    + (select coalesce(sum(difference), 0) from invoice_count_change where merchant_id = ${merchantId}::uuid)`
}

/**
 * SQL condition that joins `invoice` to a row of `facetsOf`, named `facet`. Its expressions are those of the
 * index `invoice_by_facet`, so that the index can be used.
 */
export function isOfFacet(merchantId: string): Sql {
  return sql`merchant_id = ${merchantId}::uuid and deleted_at is null
    and payment_method_ids = facet.payment_method_ids and type = facet.type and state = facet.state
    and aml_ok = facet.aml_ok and coalesce(collect_state, '') = facet.collect_state
    and (archived_at is not null) = facet.is_archived`
}

function facetConditions(filter: InvoiceFilter): Sql {
  return sql`merchant_id = ${filter.merchantId}::uuid ${unarchived(filter, sql`not is_archived`)} ${picksOf(filter)}`
}

/** Returns SQL conditions on columns that both facets and invoices have. */
export function picksOf(filter: InvoiceFilter): Sql {
  const conditions: Sql[] = []
  if (filter.types) conditions.push(sql`and type = any(${[...filter.types]}::text[])`)
  if (filter.states) conditions.push(sql`and state = any(${[...filter.states]}::text[])`)
  if (filter.paymentMethodIds)
    conditions.push(sql`and payment_method_ids && ${[...filter.paymentMethodIds]}::integer[]`)
  if (filter.collectStates)
    conditions.push(sql`and collect_state = any(${[...filter.collectStates]}::text[])`)
  if (filter.amlOk !== undefined) conditions.push(sql`and aml_ok = ${filter.amlOk}::boolean`)
  return conditions.length === 0 ? empty : join(conditions, ' ')
}

/**
 * Returns SQL for the total of a filter with only a time range. The SQL adds the counts of whole days. It
 * subtracts the invoices of the first and last day that are outside the range.
 */
export function totalOfTimes(filter: InvoiceFilter): Sql {
  const { createdFrom, createdTo } = filter
  const days: BucketRange = { first: createdFrom && dayOf(createdFrom), last: createdTo && dayOf(createdTo) }
  const start = days.first === undefined ? undefined : startOfDay(days.first)
  const end = days.last === undefined ? undefined : startOfDay(days.last + 1)
  const column = sql`created_at`
  return sql`${sumOfBuckets(filter, 'day', 'days', days, daysPerBlock)}
    + ${sumOfChanges(filter, column, start, end)}
    - ${countBetween(filter, start && sql`created_at >= ${start}::timestamptz and created_at < ${createdFrom}::timestamptz`)}
    - ${countBetween(filter, end && sql`created_at > ${createdTo}::timestamptz and created_at < ${end}::timestamptz`)}`
}

/**
 * Returns SQL for the total of a filter with only a range of amounts. The SQL adds the counts of whole
 * buckets. It subtracts the invoices of the first and last bucket that are outside the range. These are few,
 * because most prices are round numbers or just below a round number.
 */
export function totalOfAmounts(filter: InvoiceFilter): Sql {
  const { amountFromUsd: from, amountToUsd: to } = filter
  const buckets: BucketRange = {
    first: from === undefined ? undefined : amountBucketOf(from),
    last: to === undefined ? undefined : amountBucketOf(to),
  }
  const start = buckets.first === undefined ? undefined : leastOfBucket(buckets.first).toString()
  const end = buckets.last === undefined ? undefined : leastAbove(buckets.last).toString()
  const column = sql`amount_usd`
  return sql`${sumOfBuckets(filter, 'amount', 'amounts', buckets, amountsPerBlock)}
    + ${sumOfChanges(filter, column, start, end)}
    - ${countBetween(filter, start && sql`amount_usd >= ${start}::numeric and amount_usd < ${from?.toString()}::numeric`)}
    - ${countBetween(filter, end && sql`amount_usd > ${to?.toString()}::numeric and amount_usd < ${end}::numeric`)}`
}

function sumOfBuckets(
  filter: InvoiceFilter,
  fine: string,
  coarse: string,
  buckets: BucketRange,
  factor: number,
): Sql {
  const split = splitRange(buckets, factor)
  const part = (scale: string, [from, to]: Span) => sql`
    (select coalesce(sum(invoices), 0) from invoice_range_count
     where merchant_id = ${filter.merchantId}::uuid and scale = ${raw(`'${scale}'`)}
       and bucket >= ${from}::integer and bucket < ${to}::integer ${unarchived(filter, sql`not is_archived`)})`
  return sql`${part(coarse, split.coarse)} + ${part(fine, split.before)} + ${part(fine, split.after)}`
}

function sumOfChanges(
  filter: InvoiceFilter,
  column: Sql,
  from: Date | string | undefined,
  to: Date | string | undefined,
): Sql {
  const type = raw(from instanceof Date || to instanceof Date ? 'timestamptz' : 'numeric')
  const lower = from === undefined ? sql`true` : sql`${column} >= ${from}::${type}`
  const upper = to === undefined ? sql`true` : sql`${column} < ${to}::${type}`
  return sql`
    (select coalesce(sum(difference), 0) from invoice_count_change
     where merchant_id = ${filter.merchantId}::uuid and ${lower} and ${upper}
       ${unarchived(filter, sql`not is_archived`)})`
}

function countBetween(filter: InvoiceFilter, between: Sql | '' | undefined): Sql {
  if (!between) return sql`0`
  return sql`
    (select count(*) from invoice
     where merchant_id = ${filter.merchantId}::uuid and deleted_at is null and ${between}
       ${unarchived(filter, sql`archived_at is null`)})`
}

/**
 * Returns SQL that adds `condition` to a query. Returns empty SQL if the filter includes archived invoices.
 */
export function unarchived({ showArchived }: InvoiceFilter, condition: Sql): Sql {
  return showArchived ? sql`` : sql`and ${condition}`
}
