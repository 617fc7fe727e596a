/**
 * Splits a range of values into buckets whose counts are stored. A large range consists of coarse buckets,
 * and of fine buckets at its two ends. A coarse bucket contains `factor` fine buckets. The constants match
 * the database function `invoice_scales`.
 */

/** A range of fine buckets from `first` to `last`, both included. An undefined field means no bound. */
export interface BucketRange {
  readonly first: number | undefined
  readonly last: number | undefined
}

/** A range that includes the first number and excludes the second. */
export type Span = readonly [number, number]

export interface SplitRange {
  readonly coarse: Span
  readonly before: Span
  readonly after: Span
}

export const daysPerBlock = 32
export const amountsPerBlock = 100

const lowest = -(2 ** 31)
const highest = 2 ** 31 - 1
const empty: Span = [0, 0]
const dayMs = 86_400_000

export function splitRange({ first, last }: BucketRange, factor: number): SplitRange {
  const from = first === undefined ? lowest : Math.ceil(first / factor)
  const to = last === undefined ? highest : Math.floor((last + 1) / factor)
  const end = last === undefined ? highest : last + 1
  if (from >= to) return { coarse: empty, before: [first ?? lowest, end], after: empty }
  return {
    coarse: [from, to],
    before: first === undefined ? empty : [first, from * factor],
    after: last === undefined ? empty : [to * factor, end],
  }
}

/** Returns the day in UTC, as the number of days since 1970-01-01. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / dayMs)
}

export function startOfDay(day: number): Date {
  return new Date(day * dayMs)
}

/** Returns the bucket of an amount: its number of digits times 10,000, plus its four leading digits. */
export function amountBucketOf(amountUsd: bigint): number {
  const digits = amountUsd.toString()
  return digits.length * 10_000 + Number(digits.slice(0, 4).padEnd(4, '0'))
}

/** Returns the smallest amount in a bucket. */
export function leastOfBucket(bucket: number): bigint {
  const digits = Math.floor(bucket / 10_000)
  const leading = BigInt(bucket % 10_000)
  if (digits >= 4) return leading * 10n ** BigInt(digits - 4)
  const scale = 10n ** BigInt(4 - digits)
  return (leading + scale - 1n) / scale
}

/** Returns the smallest amount above all amounts of a bucket. */
export function leastAbove(bucket: number): bigint {
  if (bucket % 10_000 === 0) return leastOfBucket(bucket + 1_000)
  const next = bucket + 1
  return leastOfBucket(next % 10_000 === 0 ? next + 1_000 : next)
}
