/**
 * Functions for JSON schemas. They forbid undeclared fields, remove nulls from values, and find a part of a
 * schema by its path.
 */
import type { TSchema } from 'typebox'

/** The parts of JSON Schema that routes use. */
export interface JsonSchema {
  /** A list of types occurs only in the OpenAPI document, never in a route. */
  readonly type?: string | readonly string[]
  /** The name of a schema. The OpenAPI document contains a named schema once and references it elsewhere. */
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly contentMediaType?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  /** In the schema of a query: alternative names of parameters, each with the name of its property. */
  readonly 'x-aliases'?: { readonly [name: string]: string }
}

/** Returns a copy in which objects accept no undeclared fields, except where the schema allows them. */
export function closed(schema: TSchema): JsonSchema {
  return close(JSON.parse(JSON.stringify(schema)) as JsonSchema)
}

function close(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: close(schema.items) }),
    ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.map(close) }),
    ...(schema.properties === undefined ? {} : closedProperties(schema.properties, schema)),
  }
}

function closedProperties(
  properties: NonNullable<JsonSchema['properties']>,
  { additionalProperties }: JsonSchema,
) {
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, close(part)])),
    additionalProperties: additionalProperties ?? false,
  }
}

/**
 * Returns a copy of `value` without optional fields that are null. A null stays if its field's schema allows
 * it.
 */
export function withoutNulls(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((item) => withoutNulls(items, item))
  }
  const { properties } = schema
  if (properties === undefined || typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) return [[name, part]]
    if (part === null && schema.required?.includes(name) !== true && !takesNull(known)) return []
    return [[name, withoutNulls(known, part)]]
  })
  return Object.fromEntries(kept)
}

function takesNull(schema: JsonSchema): boolean {
  return schema.type === 'null' || schema.anyOf?.some(takesNull) === true
}

/** Returns the part of `schema` at a validator's path, such as `#/properties/name/items`. */
export function schemaAt(schema: JsonSchema, path: string): JsonSchema | undefined {
  let part: unknown = schema
  for (const step of path.split('/').slice(1)) {
    if (typeof part !== 'object' || part === null) return undefined
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    part = Object.hasOwn(part, key) ? new Map<string, unknown>(Object.entries(part)).get(key) : undefined
  }
  return typeof part === 'object' && part !== null ? (part as JsonSchema) : undefined
}
