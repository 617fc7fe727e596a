/**
 * Computes the amounts that could pay a whole invoice at the price of a payment. The price is that of the quote in
 * force when the payment arrived. If no quote was in force, it is the stored price of that minute, or the newest price
 * of the ten minutes before. If no price was stored either, it is the price of the last quote. The model does not
 * always know which quotes and prices the service had when it valued a payment. It then returns all possible amounts.
 */
import { decimal } from '../../src/core/money.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { Model, ShownAddress } from '../model/model.ts'
import type { AskedQuote, PriceReading } from './price-reading.ts'

/** The times between which a payment arrived. They are equal if the model knows the exact time. */
export interface PaymentTime {
  readonly fromMs: number
  readonly toMs: number
}

/** The least and the greatest of the amounts that may pay a whole invoice. */
export interface FullAmounts {
  readonly leastMinor: bigint
  readonly mostMinor: bigint
}

/** When a request was sent, and when its answer arrived or could no longer arrive. */
interface RequestTimes {
  readonly requestedMs: number
  readonly answeredMs: number
}

interface Quote {
  /** The quote was made between these times. */
  readonly fromMs: number
  readonly toMs: number
  readonly expiresMs: number
  readonly fullAmounts: readonly bigint[]
}

interface KnownQuotes {
  readonly quotes: readonly Quote[]
  /** Whether there may be further quotes, which no payer saw. */
  readonly isUnclear: boolean
  /** The amounts of a whole invoice in the quotes that requests without an answer may have made. */
  readonly unseenAmounts: readonly bigint[]
}

const minuteMs = 60_000
const storedMinutes = 10
/** A price is quoted for 90 seconds after it was stored. */
const freshMs = 90_000
const payableDecimals = 6

export function symbolOf({ name }: Pick<ModelAsset, 'name'>): string {
  return name.slice(name.indexOf('/') + 1)
}

/** Returns whether the price of a reading may still have been fresh at this time or later. */
export function mayBeFresh({ storedMs }: PriceReading, atMs: number): boolean {
  return storedMs === undefined || storedMs + freshMs >= atMs
}

/** Returns the lowest price of an asset that the service ever read, in 10^-12 USD. */
export function lowestPriceUsd({ readings }: Model, asset: ModelAsset): bigint | undefined {
  const prices = readings.flatMap(({ pricesUsd }) => pricesUsd.get(symbolOf(asset)) ?? [])
  return prices.reduce<bigint | undefined>(
    (lowest, price) => (lowest === undefined || price < lowest ? price : lowest),
    undefined,
  )
}

/** Returns the smallest and the largest amount that could pay an invoice at the price of a payment. */
export function fullAmountsOf(
  model: Model,
  asset: ModelAsset,
  shown: ShownAddress,
  time: PaymentTime,
): FullAmounts {
  const possible = possibleAmounts(model, asset, shown, time)
  return {
    leastMinor: possible.reduce((least, minor) => (minor < least ? minor : least)),
    mostMinor: possible.reduce((most, minor) => (minor > most ? minor : most)),
  }
}

type AtLeastOne = readonly [bigint, ...bigint[]]

function possibleAmounts(
  model: Model,
  asset: ModelAsset,
  shown: ShownAddress,
  time: PaymentTime,
): AtLeastOne {
  const amountsAt = ({ pricesUsd }: PriceReading) =>
    amountsAtPrice(shown, asset, pricesUsd.get(symbolOf(asset)))
  const first = shown.amountMinor
  const { quotes, isUnclear, unseenAmounts } = quotesOf(model, asset, shown)
  if (time.fromMs !== time.toMs || isUnclear) {
    const readings = model.readings.filter((one) => mayApply(one, time))
    const seenAmounts = quotes.flatMap(({ fullAmounts }) => fullAmounts)
    return [first, ...seenAmounts, ...unseenAmounts, ...readings.flatMap(amountsAt)]
  }
  const atMs = time.fromMs
  const inForce = quotes.filter(({ fromMs, expiresMs }) => fromMs <= atMs && atMs < expiresMs)
  const certain = inForce.filter(({ toMs }) => toMs <= atMs).flatMap(({ fullAmounts }) => fullAmounts)
  if (hasAny(certain)) return certain
  const stored = storedAt(model.readings, atMs)
  const priced = [...inForce.flatMap(({ fullAmounts }) => fullAmounts), ...stored.readings.flatMap(amountsAt)]
  const isFirst = atMs <= shown.answeredMs
  if (stored.isCertain && !isFirst && hasAny(priced)) return priced
  return [first, ...quotes.flatMap(({ fullAmounts }) => fullAmounts), ...priced]
}

function hasAny(amounts: readonly bigint[]): amounts is AtLeastOne {
  return amounts.length > 0
}

/**
 * Returns the quotes of an invoice that payers saw. The quotes are unclear if a request has no answer, or if the answer
 * came after its quote had expired.
 */
export function quotesOf(model: Model, asset: ModelAsset, shown: ShownAddress): KnownQuotes {
  const { requestedMs, answeredMs, expiresMs, amountMinor } = shown
  const quotes = new Map<number, Quote>([
    [expiresMs, { fromMs: requestedMs, toMs: answeredMs, expiresMs, fullAmounts: [amountMinor] }],
  ])
  const unseenAmounts: bigint[] = []
  let isUnclear = expiresMs <= answeredMs
  for (const asked of model.askedQuotes.filter(({ invoiceId }) => invoiceId === shown.invoiceId)) {
    const { answer } = asked
    if (answer === undefined) {
      const times = { requestedMs: asked.requestedMs, answeredMs: endOf(model, asked) }
      unseenAmounts.push(...quotedAmounts(model, asset, shown, times))
      isUnclear = true
      continue
    }
    // An invoice that has ended shows its last quote, with an end that is not in the future.
    if (answer.expiresMs <= asked.requestedMs) continue
    isUnclear ||= answer.expiresMs <= answer.answeredMs
    if (quotes.has(answer.expiresMs)) continue
    const times = { requestedMs: asked.requestedMs, answeredMs: answer.answeredMs }
    const fullAmounts = quotedAmounts(model, asset, shown, times)
    const { expiresMs } = answer
    quotes.set(expiresMs, { fromMs: times.requestedMs, toMs: times.answeredMs, expiresMs, fullAmounts })
  }
  return { quotes: [...quotes.values()], isUnclear, unseenAmounts }
}

/** Returns when a request without an answer ended: the API that served it was killed, and then started again. */
function endOf({ apiStartsMs }: Model, { requestedMs }: AskedQuote): number {
  return apiStartsMs.find((startMs) => startMs > requestedMs) ?? Number.POSITIVE_INFINITY
}

/** Returns whether a price may be the price of a quote that was made during a request. */
function mayBeQuoted(
  { askedMs, storedMs }: PriceReading,
  { requestedMs, answeredMs }: RequestTimes,
): boolean {
  return askedMs <= answeredMs && (storedMs ?? answeredMs) >= requestedMs - freshMs
}

/** Returns the amounts that a payer could be asked for, for a whole invoice, during a request. */
export function quotedAmounts(
  model: Model,
  asset: ModelAsset,
  shown: ShownAddress,
  answered: RequestTimes,
): readonly bigint[] {
  return model.readings
    .filter((one) => mayBeQuoted(one, answered))
    .flatMap(({ pricesUsd }) => amountsAtPrice(shown, asset, pricesUsd.get(symbolOf(asset))))
}

/**
 * Returns the prices that may be the stored price of a moment. If one of them was read and stored within the same
 * minute, before the moment, it was certainly stored. Earlier prices then do not count.
 */
function storedAt(readings: readonly PriceReading[], atMs: number) {
  const possible = readings.filter((one) => mayApply(one, { fromMs: atMs, toMs: atMs }))
  const newest = possible.findLastIndex(
    ({ askedMs, storedMs }) =>
      storedMs !== undefined && storedMs < atMs && minuteOf(askedMs) === minuteOf(storedMs),
  )
  return newest === -1
    ? { isCertain: false, readings: possible }
    : { isCertain: true, readings: possible.slice(newest) }
}

/** Returns whether a price may be the stored price of a moment between two times. */
function mayApply(
  { askedMs, storedMs = Number.POSITIVE_INFINITY }: PriceReading,
  { fromMs, toMs }: PaymentTime,
): boolean {
  return minuteOf(askedMs) <= minuteOf(toMs) && minuteOf(storedMs) >= minuteOf(fromMs) - storedMinutes
}

function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs)
}

/** Returns the amount that pays an invoice at a price, rounded up to what a payer can see. */
function amountsAtPrice(
  { amountUsd }: ShownAddress,
  { decimals }: ModelAsset,
  priceUsd: bigint | undefined,
): readonly bigint[] {
  if (priceUsd === undefined) return []
  const exactMinor = dividedUp(decimal(amountUsd, 12) * 10n ** BigInt(decimals), priceUsd)
  const stepMinor = 10n ** BigInt(Math.max(0, decimals - payableDecimals))
  return [dividedUp(exactMinor, stepMinor) * stepMinor]
}

function dividedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by
}
