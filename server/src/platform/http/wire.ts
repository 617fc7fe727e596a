/** Schemas and spellings that all capabilities share on the wire. */
import { type TEnum, type TSchema, Type } from 'typebox'
import { limits } from '../../core/limits.ts'

export const uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'a UUID',
})

/** An id as we answer it, with what it names. */
export function idOf(description: string) {
  return Type.String({ ...uuid, description })
}

/** A decimal as clients may send it; `core/money.ts` reads it. */
export const decimalAmount = Type.String({
  pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,8})?$',
  description: 'a decimal string such as "12.50", with at most 12 digits before and 8 after the point',
})

/** As `decimalAmount`, with as many places as any asset has; whoever knows the asset refuses those it lacks. */
export const assetAmount = Type.String({
  pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,18})?$',
  description:
    'a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset',
})

/** A decimal as we answer it. */
export const decimalOut = Type.String({ description: 'a decimal string' })

/** A payment method's number in the catalogue, which fits a PostgreSQL integer; also for a path's `methodID`. */
export const paymentMethodId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'the number of a payment method',
})

/** A text of ours, of a length that readers can rely on. */
export function boundedText(description: string, maxLength = 128) {
  return Type.String({ maxLength, description })
}

/** A decimal as we answer it, with what it is the amount of. */
export function decimalOf(description: string, example = '12.50') {
  return Type.String({ maxLength: 100, description: `a decimal string: ${description}`, examples: [example] })
}

export const timestampOut = Type.String({ description: 'YYYY-MM-DDTHH:mm:ss.sssZ' })

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, as all timestamps are stored and shown. */
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

/** One of the given words. A `title` makes it a type of its own in the contract. */
export function oneOf<const V extends readonly string[]>(
  values: readonly [...V],
  options: { default?: V[number]; title?: string; description?: string } = {},
) {
  return Type.Enum(values, options) as TEnum<[...V]>
}

const limit = Type.Integer({ minimum: 1, maximum: limits.pageRowsMax, default: limits.pageRows })
const pageNumber = Type.Integer({ minimum: 1, maximum: limits.pageMax, default: 1 })

/** `limit` and `page` alone, for lists in a fixed order. Spread into a query: `Type.Object({ ...pageQuery })`. */
export const pageQuery = { limit, page: pageNumber }

/** The paging part of a query: `Type.Object({ ...pagingQuery(['createdAt', 'amount']), search: ... })`. */
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

/** A page of a list in an order the client chose. */
export interface OrderedPaging<K extends string> extends Paging {
  readonly order: 'asc' | 'desc'
  readonly orderBy: K
}

/** Rows to skip: the database's OFFSET. */
export function offsetOf({ limit, page }: Paging): number {
  return (page - 1) * limit
}

/** The reply's schema of a paginated list. */
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
