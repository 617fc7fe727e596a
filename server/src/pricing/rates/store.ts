import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Rate, Reading } from './rate.ts'

/** Returns the rate for new quotes; undefined if none was stored in the last 90 s by the database's clock. */
export async function freshRate(on: Queryable, symbol: string): Promise<Rate | undefined> {
  const row = await one<RateRow>(
    on,
    named(
      'rates_fresh',
      sql`
        select symbol, price, taken_at, sources from rate
        where symbol = ${symbol} and minute > coffer_now() - interval '3 minutes'
          and taken_at > coffer_now() - interval '90 seconds'
        order by minute desc limit 1`,
    ),
  )
  return row === undefined ? undefined : toRate(row)
}

/**
 * Returns the rate of the minute of `at`. If that minute has no rate, returns the latest rate of the 10
 * minutes before.
 */
export async function rateAt(on: Queryable, symbol: string, at: Date): Promise<Rate | undefined> {
  const [rate] = await ratesAt(on, [{ symbol, at }])
  return rate
}

/** Returns the same rates as `rateAt` for many keys, in the order of the keys, with one query. */
export async function ratesAt(
  on: Queryable,
  keys: readonly { readonly symbol: string; readonly at: Date }[],
): Promise<readonly (Rate | undefined)[]> {
  const rows = await on.query<RateRow & { ordinal: number }>(
    named(
      'rates_at',
      sql`
        select key.ordinal::integer, nearest.*
        from unnest(${keys.map((key) => key.symbol)}::text[], ${keys.map((key) => key.at)}::timestamptz[])
          with ordinality as key (symbol, at, ordinal)
        cross join lateral (
          select symbol, price, taken_at, sources from rate
          where symbol = key.symbol and minute <= key.at
            and minute >= date_trunc('minute', key.at, 'UTC') - interval '10 minutes'
          order by minute desc limit 1
        ) nearest`,
    ),
  )
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((_key, index) => {
    const row = byOrdinal.get(index + 1)
    return row === undefined ? undefined : toRate(row)
  })
}

/** Returns the last price of each symbol, if that price is at most an hour old. */
export async function recentPrices(
  on: Queryable,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<Pick<RateRow, 'symbol' | 'price'>>(sql`
    select distinct on (symbol) symbol, price from rate
    where symbol = any(${symbols}::text[]) and minute > coffer_now() - interval '1 hour'
    order by symbol, minute desc`)
  return new Map(rows.map((row) => [row.symbol, BigInt(row.price)]))
}

/**
 * Stores prices for the current minute of the database's clock. A later price of the same minute replaces the
 * earlier price.
 */
export async function saveRates(
  on: Queryable,
  rates: readonly Pick<Rate, 'symbol' | 'priceUsd' | 'sources'>[],
): Promise<void> {
  if (rates.length === 0) return
  await on.query(sql`
    insert into rate (symbol, minute, price, sources, taken_at)
    select symbol, date_trunc('minute', coffer_now(), 'UTC'), price, sources, coffer_now()
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
 * Deletes the oldest rates of each symbol. A rate is deleted only if it is older than both `before` and the
 * retention period.
 * @returns how many rates were deleted
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
          and minute < least(coffer_now() - make_interval(days => ${limits.ratesKeptDays}), ${before ?? null}::timestamptz)
        order by minute limit ${rows} for update skip locked
      ) found
      order by found.symbol, found.minute limit ${rows}
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
