/**
 * Ranges of what is counted in buckets: one of many buckets is added up from coarse buckets and, at its ends, fine
 * ones. `factor` fine buckets make a coarse one. The numbers are those of the database function `invoice_scales`.
 */

/** Whole fine buckets, from `first` to `last`; open where undefined. */
export interface BucketRange {
  readonly first: number | undefined
  readonly last: number | undefined
}

/** From the first number up to, and without, the second. */
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

/** The day, in UTC, as its number since 1970. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / dayMs)
}

export function startOfDay(day: number): Date {
  return new Date(day * dayMs)
}

/** How many digits the amount has, times 10,000, and its four leading digits. */
export function amountBucketOf(amountUsd: bigint): number {
  const digits = amountUsd.toString()
  return digits.length * 10_000 + Number(digits.slice(0, 4).padEnd(4, '0'))
}

/** The least amount of a bucket. */
export function leastOfBucket(bucket: number): bigint {
  const digits = Math.floor(bucket / 10_000)
  const leading = BigInt(bucket % 10_000)
  if (digits >= 4) return leading * 10n ** BigInt(digits - 4)
  const scale = 10n ** BigInt(4 - digits)
  return (leading + scale - 1n) / scale
}

/** The least amount above all of a bucket. */
export function leastAbove(bucket: number): bigint {
  if (bucket % 10_000 === 0) return leastOfBucket(bucket + 1_000)
  const next = bucket + 1
  return leastOfBucket(next % 10_000 === 0 ? next + 1_000 : next)
}
