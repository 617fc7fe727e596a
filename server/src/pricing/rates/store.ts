import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Rate, Reading } from './rate.ts'

/** The rate to quote at; undefined when none was taken in the last 90 s of the database's time. */
export async function freshRate(on: Queryable, symbol: string): Promise<Rate | undefined> {
  const row = await one<RateRow>(
    on,
    named(
      'rates_fresh',
      sql`
        select symbol, price, taken_at, sources from rate
        where symbol = ${symbol} and minute > now() - interval '3 minutes'
          and taken_at > now() - interval '90 seconds'
        order by minute desc limit 1`,
    ),
  )
  return row === undefined ? undefined : toRate(row)
}

/** The rate of the minute of `at`, else the latest of the 10 minutes before it. */
export async function rateAt(on: Queryable, symbol: string, at: Date): Promise<Rate | undefined> {
  const [rate] = await ratesAt(on, [{ symbol, at }])
  return rate
}

/** As `rateAt` for many at once, in their order, in one query. */
export async function ratesAt(
  on: Queryable,
  keys: readonly { readonly symbol: string; readonly at: Date }[],
): Promise<readonly (Rate | undefined)[]> {
  const rows = await on.query<RateRow & { place: number }>(
    named(
      'rates_at',
      sql`
        select key.place::integer, nearest.*
        from unnest(${keys.map((key) => key.symbol)}::text[], ${keys.map((key) => key.at)}::timestamptz[])
          with ordinality as key (symbol, at, place)
        cross join lateral (
          select symbol, price, taken_at, sources from rate
          where symbol = key.symbol and minute <= key.at
            and minute >= date_trunc('minute', key.at, 'UTC') - interval '10 minutes'
          order by minute desc limit 1
        ) nearest`,
    ),
  )
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return keys.map((_key, index) => {
    const row = byPlace.get(index + 1)
    return row === undefined ? undefined : toRate(row)
  })
}

/** The last price of each symbol, where it is at most an hour old. */
export async function recentPrices(
  on: Queryable,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<Pick<RateRow, 'symbol' | 'price'>>(sql`
    select distinct on (symbol) symbol, price from rate
    where symbol = any(${symbols}::text[]) and minute > now() - interval '1 hour'
    order by symbol, minute desc`)
  return new Map(rows.map((row) => [row.symbol, BigInt(row.price)]))
}

/** Keeps prices taken now as those of the current minute of the database; a later one of a minute replaces it. */
export async function saveRates(
  on: Queryable,
  rates: readonly Pick<Rate, 'symbol' | 'priceUsd' | 'sources'>[],
): Promise<void> {
  if (rates.length === 0) return
  await on.query(sql`
    insert into rate (symbol, minute, price, sources, taken_at)
    select symbol, date_trunc('minute', now(), 'UTC'), price, sources, now()
    from unnest(
      ${rates.map((rate) => rate.symbol)}::text[],
      ${rates.map((rate) => rate.priceUsd.toString())}::numeric[],
      ${rates.map((rate) => JSON.stringify(rate.sources.map(toStoredReading)))}::jsonb[]
    ) as taken (symbol, price, sources)
    on conflict (symbol, minute) do update
    set price = excluded.price, sources = excluded.sources, taken_at = excluded.taken_at
    where excluded.taken_at >= rate.taken_at`)
}

/**
 * Deletes the oldest rates of each symbol from before `before`, and never younger ones than are kept.
 * @returns how many
 */
export async function deleteOldRates(
  on: Queryable,
  { before, rows }: { readonly before: Date | undefined; readonly rows: number },
): Promise<number> {
  const deleted = await on.query(sql`
    with recursive known as (
      (select symbol from rate order by symbol limit 1)
      union all
      select (select symbol from rate where rate.symbol > known.symbol order by symbol limit 1)
      from known where known.symbol is not null
    ), old as (
      select found.symbol, found.minute from known cross join lateral (
        select symbol, minute from rate
        where rate.symbol = known.symbol
          and minute < least(now() - make_interval(days => ${limits.ratesKeptDays}), ${before ?? null}::timestamptz)
        order by minute limit ${rows} for update skip locked
      ) found
      limit ${rows}
    )
    delete from rate using old where rate.symbol = old.symbol and rate.minute = old.minute
    returning 1`)
  return deleted.length
}

interface RateRow {
  readonly symbol: string
  readonly price: string
  readonly taken_at: Date
  readonly sources: readonly StoredReading[]
}

interface StoredReading {
  readonly source: string
  readonly price: string
}

export function toStoredReading({ source, priceUsd }: Reading): StoredReading {
  return { source, price: priceUsd.toString() }
}

function toRate(row: RateRow): Rate {
  const sources = row.sources.map(({ source, price }) => ({ source, priceUsd: BigInt(price) }))
  return { symbol: row.symbol, priceUsd: BigInt(row.price), takenAt: row.taken_at, sources }
}
