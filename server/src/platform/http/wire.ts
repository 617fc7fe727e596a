/** Schemas and formats of requests and replies that the routes of all modules share. */
import { type TEnum, type TSchema, Type } from 'typebox'
import { limits } from '../../core/limits.ts'

export const uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'a UUID',
})

/** Returns the schema of an id in a reply, with a description of what the id identifies. */
export function idOf(description: string) {
  return Type.String({ ...uuid, description })
}

/** The schema of a decimal in a request, which `core/money.ts` parses. */
export const decimalAmount = Type.String({
  pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,8})?$',
  description: 'a decimal string such as "12.50", with at most 12 digits before and 8 after the point',
})

/**
 * The schema of a decimal in a request. It allows 18 digits after the point, the most that any asset has.
 * Code that knows the asset must reject more digits than the asset has.
 */
export const assetAmount = Type.String({
  pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,18})?$',
  description:
    'a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has',
})

/** The schema of a decimal in a reply. */
export const decimalOut = Type.String({ description: 'a decimal string' })

/**
 * The schema of a payment method's number in the catalogue, which fits a PostgreSQL integer. It is also the
 * schema of `methodID` in a path.
 */
export const paymentMethodId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'the number of a payment method',
})

/** Returns the schema of a text in a reply, with a maximum length on which clients can rely. */
export function boundedText(description: string, maxLength = 128) {
  return Type.String({ maxLength, description })
}

/** Returns the schema of a decimal in a reply, with a description of the amount. */
export function decimalOf(description: string, example = '12.50') {
  return Type.String({ maxLength: 100, description: `a decimal string: ${description}`, examples: [example] })
}

export const timestampOut = Type.String({ description: 'YYYY-MM-DDTHH:mm:ss.sssZ' })

/** Formats a time as `YYYY-MM-DDTHH:mm:ss.sssZ`, like all timestamps in storage and replies. */
export function timestamp(at: Date): string {
  return at.toISOString()
}

export function optionalTimestamp(at: Date | undefined | null): string | null {
  return at === undefined || at === null ? null : at.toISOString()
}

export function nullable<S extends TSchema>(
  schema: S,
  options: { description?: string; examples?: readonly unknown[] } = {},
) {
  return Type.Union([schema, Type.Null()], options)
}

/**
 * Returns the schema of one of the given strings. A `title` makes the schema a named type in the OpenAPI
 * document.
 */
export function oneOf<const V extends readonly string[]>(
  values: readonly [...V],
  options: { default?: V[number]; title?: string; description?: string } = {},
) {
  return Type.Enum(values, options) as TEnum<[...V]>
}

const limit = Type.Integer({ minimum: 1, maximum: limits.pageRowsMax, default: limits.pageRows })
const pageNumber = Type.Integer({ minimum: 1, maximum: limits.pageMax, default: 1 })

/**
 * The paging parameters `limit` and `page` without an order, for lists in a fixed order. Spread them into a
 * query: `Type.Object({ ...pageQuery })`.
 */
export const pageQuery = { limit, page: pageNumber }

/**
 * Returns the paging parameters of a query, with an order. The first name of `orderBy` is the default. Spread
 * the parameters into a query: `Type.Object({ ...pagingQuery(['createdAt', 'amount']) })`.
 */
export function pagingQuery<const K extends readonly [string, ...string[]]>(orderBy: readonly [...K]) {
  return {
    ...pageQuery,
    order: oneOf(['asc', 'desc'], { default: 'desc' }),
    orderBy: oneOf(orderBy, { default: orderBy[0] }),
  }
}

export interface Paging {
  readonly limit: number
  readonly page: number
}

/** Paging of a list whose order the client chooses. */
export interface OrderedPaging<K extends string> extends Paging {
  readonly order: 'asc' | 'desc'
  readonly orderBy: K
}

/** Returns the number of rows to skip (OFFSET). */
export function offsetOf({ limit, page }: Paging): number {
  return (page - 1) * limit
}

/** Returns the schema of a reply with one page of a list. */
export function pageOf<S extends TSchema>(record: S) {
  return Type.Object({
    data: Type.Array(record),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
  })
}

export interface Page<T> {
  readonly data: T[]
  readonly total: number
  readonly page: number
  readonly limit: number
}

export function page<T>(data: readonly T[], total: number, { page, limit }: Paging): Page<T> {
  return { data: [...data], total, page, limit }
}
