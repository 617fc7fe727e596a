/**
 * Gives tests access to rows as records in the field's words. A test names a deposit and its status; the
 * modules beside this one know the table. Amounts are decimal text, in the smallest unit if the field ends in
 * `Minor`.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { assert, required } from '../../../src/core/assert.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'
import { Computed, Condition, columnOf } from './values.ts'

/**
 * What a test may give as a field's value. PostgreSQL converts it: a time may be ISO text, and an amount a
 * bigint.
 */
type Given<V> =
  | V
  | (V extends string ? bigint | number : never)
  | (V extends number ? bigint : never)
  | (V extends Date ? string : never)

/**
 * A condition for each field: a value to equal, an array of values to be one of, or a `Condition`. All of
 * them must hold.
 */
type Where<R> = { readonly [F in keyof R]?: Given<R[F]> | readonly Given<R[F]>[] | Condition | undefined }

type Change<R> = { readonly [F in keyof R]?: Given<R[F]> | Computed | undefined }

/** The new values of fields, as `change` takes them for records of a kind. */
export type ChangeOf<T> = T extends Records<infer R> ? Change<R> : never

export class Records<R extends object> {
  readonly #table: Sql
  readonly #order: Sql

  /**
   * Describes the records of a table.
   * @param order the columns by which records are ordered, as SQL
   */
  constructor(table: string, order: string) {
    this.#table = raw(table)
    this.#order = raw(order)
  }

  /** Returns the matching records with the named fields, or with all fields, in the order of their kind. */
  async all<F extends keyof R & string = keyof R & string>(
    on: Queryable,
    where: Where<R> = {},
    ...fields: readonly F[]
  ): Promise<Pick<R, F>[]> {
    const columns = fields.length === 0 ? raw('*') : join(fields.map(columnOf))
    const rows = await on.query(
      sql`select ${columns} from ${this.#table} ${matching(where)} order by ${this.#order}`,
    )
    return rows.map((row) => {
      const named = Object.entries(row).map(([column, value]) => [fieldOf(column), value])
      return Object.fromEntries(named) as Pick<R, F>
    })
  }

  /** Returns the first matching record, or undefined. */
  async first<F extends keyof R & string = keyof R & string>(
    on: Queryable,
    where: Where<R> = {},
    ...fields: readonly F[]
  ): Promise<Pick<R, F> | undefined> {
    const [row] = await this.all(on, where, ...fields)
    return row
  }

  /**
   * Returns the first matching record.
   * @throws Error if there is none
   */
  async one<F extends keyof R & string = keyof R & string>(
    on: Queryable,
    where: Where<R> = {},
    ...fields: readonly F[]
  ): Promise<Pick<R, F>> {
    return required(await this.first(on, where, ...fields), 'the record')
  }

  async count(on: Queryable, where: Where<R> = {}): Promise<number> {
    const [row] = await on.query<{ count: number }>(
      sql`select count(*) as count from ${this.#table} ${matching(where)}`,
    )
    return required(row, 'the count').count
  }

  /** Adds records in one statement. A field that only some of them have gets its default in the others. */
  async add(on: Queryable, ...records: readonly Change<R>[]): Promise<void> {
    const fields = [...new Set(records.flatMap((record) => Object.keys(record)))] as (keyof R & string)[]
    const rows = records.map((record) => {
      const values = fields.map((field) => {
        const value: unknown = record[field]
        return value === undefined ? sql`default` : assigned(field, value)
      })
      return sql`(${join(values)})`
    })
    await on.query(sql`insert into ${this.#table} (${join(fields.map(columnOf))}) values ${join(rows)}`)
  }

  /** Changes all matching records, without the checks of the service, and returns their number. */
  async change(on: Queryable, where: Where<R>, change: Change<R>): Promise<number> {
    const assignments = Object.entries(change).map(
      ([field, value]) => sql`${columnOf(field)} = ${assigned(field, given(field, value))}`,
    )
    const rows = await on.query(
      sql`update ${this.#table} set ${join(assignments)} ${matching(where)} returning 1 as changed`,
    )
    return rows.length
  }

  /** Deletes all matching records and returns their number. */
  async remove(on: Queryable, where: Where<R> = {}): Promise<number> {
    return (await on.query(sql`delete from ${this.#table} ${matching(where)} returning 1 as deleted`)).length
  }

  /**
   * Locks the matching records until the transaction ends. With `nowait` it throws if they are locked
   * already.
   */
  async lock(on: Queryable, where: Where<R>, patience: '' | 'nowait' = ''): Promise<void> {
    await on.query(sql`select 1 from ${this.#table} ${matching(where)} for update ${raw(patience)}`)
  }

  /** Locks the table until the transaction ends, so that records to come are locked as well. */
  async lockAll(on: Queryable, mode: 'share' | 'access exclusive'): Promise<void> {
    await on.query(sql`lock table ${this.#table} in ${raw(mode)} mode`)
  }

  /** Returns each record as the text of its whole row, in PostgreSQL's format. */
  async texts(on: Queryable, where: Where<R> = {}): Promise<string[]> {
    const rows = await on.query<{ text: string }>(
      sql`select one::text as text from ${this.#table} one ${matching(where)}`,
    )
    return rows.map(({ text }) => text)
  }

  /**
   * Returns the row version of the first matching record. Every update changes it, even one that changes no
   * value.
   */
  async version(on: Queryable, where: Where<R>): Promise<string | undefined> {
    const [row] = await on.query<{ version: string }>(
      sql`select xmin::text as version from ${this.#table} ${matching(where)}`,
    )
    return row?.version
  }
}

function matching(where: object): Sql {
  const conditions = Object.entries(where).map(([field, value]) =>
    conditionOf(columnOf(field), given(field, value)),
  )
  return conditions.length === 0 ? empty : sql`where ${join(conditions, ' and ')}`
}

/**
 * Rejects undefined, which would match everything, or change nothing.
 * @throws Error if the value is undefined
 */
function given(field: string, value: unknown): unknown {
  assert(value !== undefined, `${field} of a record is given`)
  return value
}

function conditionOf(column: Sql, value: unknown): Sql {
  if (value instanceof Condition) return value.on(column)
  if (value === null) return sql`${column} is null`
  return Array.isArray(value) ? sql`${column} = any(${value})` : sql`${column} = ${value}`
}

function assigned(field: string, value: unknown): Sql {
  return value instanceof Computed ? value.from(columnOf(field)) : sql`${value}`
}

function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
