/**
 * Counts the deposits that each merchant sees. Triggers insert a row for every change, and a worker later adds
 * these rows to the counts. A statement that reads counts and changes together gets exact totals.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Aggregate } from '../../../platform/db/aggregate.ts'
import {
  type BucketRange,
  dayOf,
  daysPerBlock,
  type Span,
  splitRange,
  startOfDay,
} from '../../invoices/lists/count-range.ts'
import { isShownToMerchant } from '../store.ts'
import type { DepositFilter } from './list-filter.ts'

export const depositCounts: Aggregate = {
  name: 'aggregate-deposit-counts',
  changes: 'deposit_count_change',
  lock: 0x7472616e, // "tran" in ASCII
  sums: sql`
    counts as (
      insert into deposit_count as kept
      select merchant_id, scale, bucket, payment_method_id, state, sum(difference)
      from taken cross join lateral (
        values ('day', day), ('days', floor(day / ${daysPerBlock}::numeric)::integer)
      ) scales (scale, bucket)
      group by 1, 2, 3, 4, 5 having sum(difference) <> 0
      on conflict (merchant_id, scale, bucket, payment_method_id, state)
      do update set deposits = kept.deposits + excluded.deposits
    )`,
}

/**
 * Returns SQL conditions on the state and the payment method. They fit the tables `deposit`, `deposit_count`
 * and `deposit_count_change`, because all three have these columns.
 */
export function picksOf(filter: DepositFilter): Sql {
  const conditions: Sql[] = []
  if (filter.states) conditions.push(sql`and state = any(${[...filter.states]}::text[])`)
  if (filter.paymentMethodIds)
    conditions.push(sql`and payment_method_id = any(${[...filter.paymentMethodIds]}::integer[])`)
  return conditions.length === 0 ? empty : join(conditions, ' ')
}

/**
 * Returns SQL for the total of a filter without invoice ids. The SQL adds the counts of whole days. It
 * subtracts the deposits of the first and last day that are outside the range.
 */
export function totalOf(filter: DepositFilter): Sql {
  const { createdFrom, createdTo } = filter
  if (createdFrom && createdTo && createdFrom > createdTo) return sql`0`
  const days: BucketRange = { first: createdFrom && dayOf(createdFrom), last: createdTo && dayOf(createdTo) }
  const start = days.first === undefined ? undefined : startOfDay(days.first)
  const end = days.last === undefined ? undefined : startOfDay(days.last + 1)
  return sql`${sumOfDays(filter, days)} + ${sumOfChanges(filter, days)}
    - ${countBetween(filter, start && sql`created_at >= ${start}::timestamptz and created_at < ${createdFrom}::timestamptz`)}
    - ${countBetween(filter, end && sql`created_at > ${createdTo}::timestamptz and created_at < ${end}::timestamptz`)}`
}

function sumOfDays(filter: DepositFilter, days: BucketRange): Sql {
  const split = splitRange(days, daysPerBlock)
  const part = (scale: string, [from, to]: Span) => sql`
    (select coalesce(sum(deposits), 0) from deposit_count
     where merchant_id = ${filter.merchantId}::uuid and scale = ${raw(`'${scale}'`)}
       and bucket >= ${from}::integer and bucket < ${to}::integer ${picksOf(filter)})`
  return sql`${part('days', split.coarse)} + ${part('day', split.before)} + ${part('day', split.after)}`
}

function sumOfChanges(filter: DepositFilter, { first, last }: BucketRange): Sql {
  const lower = first === undefined ? empty : sql`and day >= ${first}::integer`
  const upper = last === undefined ? empty : sql`and day <= ${last}::integer`
  return sql`
    (select coalesce(sum(difference), 0) from deposit_count_change
     where merchant_id = ${filter.merchantId}::uuid ${lower} ${upper} ${picksOf(filter)})`
}

function countBetween(filter: DepositFilter, between: Sql | undefined): Sql {
  if (between === undefined) return sql`0`
  return sql`
    (select count(*) from deposit
     where merchant_id = ${filter.merchantId}::uuid and ${isShownToMerchant} and ${between} ${picksOf(filter)})`
}
