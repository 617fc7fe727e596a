/** Conditions and computed values for fields of records, where a plain value is not enough. */
import sql, { raw, type Sql } from 'sql-template-tag'

/** A condition on a field. */
export class Condition {
  readonly on: (column: Sql) => Sql

  constructor(on: (column: Sql) => Sql) {
    this.on = on
  }
}

/** A value that the database computes, possibly from the field's current value. */
export class Computed {
  readonly from: (column: Sql) => Sql

  constructor(from: (column: Sql) => Sql) {
    this.from = from
  }
}

/** Matches any value but null. */
export const present = new Condition((column) => sql`${column} is not null`)

/** Matches text with this prefix. */
export function beginning(text: string): Condition {
  return new Condition((column) => sql`starts_with(${column}, ${text})`)
}

/** Matches text that contains this text. */
export function containing(text: string): Condition {
  return new Condition((column) => sql`strpos(${column}, ${text}) > 0`)
}

/** Matches any other value. */
export function not(value: string | number | bigint): Condition {
  return new Condition((column) => sql`${column} <> ${value}`)
}

/** The current time of the database. */
export const now = new Computed(() => sql`now()`)

/**
 * Returns a time relative to the database's clock, by an interval of PostgreSQL. `-1 hour` is an hour ago.
 */
export function fromNow(interval: string): Computed {
  return new Computed(() => sql`now() + ${interval}::interval`)
}

/** Moves a time by an interval of PostgreSQL. `-1 hour` makes it an hour earlier. */
export function moved(interval: string): Computed {
  return new Computed((column) => sql`${column} + ${interval}::interval`)
}

/** Adds to a number. */
export function plus(difference: number | bigint): Computed {
  return new Computed((column) => sql`${column} + ${difference}::numeric`)
}

/**
 * Moves a time forward, if needed, so that it is not before this interval from now. `-1 hour` is an hour ago.
 */
export function notBefore(interval: string): Computed {
  return new Computed((column) => sql`greatest(${column}, now() + ${interval}::interval)`)
}

/** Returns the value of another field of the record, plus a number. */
export function fieldPlus(field: string, difference: number): Computed {
  return new Computed(() => sql`${columnOf(field)} + ${difference}::numeric`)
}

/** Returns the column of a field: fields are in camel case, columns in snake case. */
export function columnOf(field: string): Sql {
  return raw(`"${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`)
}

/** Multiplies a number. */
export function times(factor: number): Computed {
  return new Computed((column) => sql`${column} * ${factor}::numeric`)
}

/** Reverses the text of a field. */
export const reversed = new Computed((column) => sql`reverse(${column})`)

/** Matches a time that is after the database's clock. */
export const inTheFuture = new Condition((column) => sql`${column} > now()`)

/** Matches the time before all others, PostgreSQL's `-infinity`. */
export const longAgo = new Condition((column) => sql`${column} = '-infinity'`)

/** Matches any value but these. */
export function noneOf(...values: readonly string[]): Condition {
  return new Condition((column) => sql`${column} <> all(${values})`)
}

/** Matches a greater value. */
export function above(value: number | bigint): Condition {
  return new Condition((column) => sql`${column} > ${value}`)
}
