/** How many transactions a merchant sees: counts that are kept by triggers, added up so that a total is exact in its snapshot. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Fold } from '../../../platform/db/fold.ts'
import {
  type BucketRange,
  dayOf,
  daysPerBlock,
  type Span,
  splitRange,
  startOfDay,
} from '../../invoices/lists/count-range.ts'
import { isShownToMerchant } from '../store.ts'
import type { TransactionFilter } from './list-filter.ts'

export const transactionCounts: Fold = {
  name: 'fold-transaction-counts',
  changes: 'transaction_count_change',
  lock: 0x7472616e, // "tran" in ASCII
  sums: sql`
    counts as (
      insert into transaction_count as kept
      select merchant_id, scale, bucket, payment_method_id, state, sum(difference)
      from taken cross join lateral (
        values ('day', day), ('days', floor(day / ${daysPerBlock}::numeric)::integer)
      ) scales (scale, bucket)
      group by 1, 2, 3, 4, 5 having sum(difference) <> 0
      on conflict (merchant_id, scale, bucket, payment_method_id, state)
      do update set transactions = kept.transactions + excluded.transactions
    )`,
}

/** The conditions on what a transaction and a count of them have alike. */
export function picksOf(filter: TransactionFilter): Sql {
  const conditions: Sql[] = []
  if (filter.states) conditions.push(sql`and state = any(${[...filter.states]}::text[])`)
  if (filter.paymentMethodIds)
    conditions.push(sql`and payment_method_id = any(${[...filter.paymentMethodIds]}::integer[])`)
  return conditions.length === 0 ? empty : join(conditions, ' ')
}

/** The total of a filter that names no invoices: whole days, less what lies outside at both ends. */
export function totalOf(filter: TransactionFilter): Sql {
  const { createdFrom, createdTo } = filter
  if (createdFrom && createdTo && createdFrom > createdTo) return sql`0`
  const days: BucketRange = { first: createdFrom && dayOf(createdFrom), last: createdTo && dayOf(createdTo) }
  const start = days.first === undefined ? undefined : startOfDay(days.first)
  const end = days.last === undefined ? undefined : startOfDay(days.last + 1)
  return sql`${sumOfDays(filter, days)} + ${sumOfChanges(filter, days)}
    - ${countBetween(filter, start && sql`created_at >= ${start}::timestamptz and created_at < ${createdFrom}::timestamptz`)}
    - ${countBetween(filter, end && sql`created_at > ${createdTo}::timestamptz and created_at < ${end}::timestamptz`)}`
}

function sumOfDays(filter: TransactionFilter, days: BucketRange): Sql {
  const split = splitRange(days, daysPerBlock)
  const part = (scale: string, [from, to]: Span) => sql`
    (select coalesce(sum(transactions), 0) from transaction_count
     where merchant_id = ${filter.merchantId}::uuid and scale = ${raw(`'${scale}'`)}
       and bucket >= ${from}::integer and bucket < ${to}::integer ${picksOf(filter)})`
  return sql`${part('days', split.coarse)} + ${part('day', split.before)} + ${part('day', split.after)}`
}

function sumOfChanges(filter: TransactionFilter, { first, last }: BucketRange): Sql {
  const lower = first === undefined ? empty : sql`and day >= ${first}::integer`
  const upper = last === undefined ? empty : sql`and day <= ${last}::integer`
  return sql`
    (select coalesce(sum(difference), 0) from transaction_count_change
     where merchant_id = ${filter.merchantId}::uuid ${lower} ${upper} ${picksOf(filter)})`
}

function countBetween(filter: TransactionFilter, between: Sql | undefined): Sql {
  if (between === undefined) return sql`0`
  return sql`
    (select count(*) from transaction
     where merchant_id = ${filter.merchantId}::uuid and ${isShownToMerchant} and ${between} ${picksOf(filter)})`
}
