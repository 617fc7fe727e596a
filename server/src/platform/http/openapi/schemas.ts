/**
 * Converts the schemas of routes for the OpenAPI document. Named schemas appear once, under `components`. A
 * UUID's pattern and a nullable type are written in the form that OpenAPI tools support best.
 */
import type { TSchema } from 'typebox'
import { closed, type JsonSchema } from '../json-schema.ts'
import { uuid } from '../wire.ts'
import type { Ref } from './openapi.ts'

/**
 * Collects schemas with a `title`, which become components. Every use of such a schema becomes a reference.
 */
export class SchemaCollector {
  readonly #named = new Map<string, JsonSchema>()

  /** The named schemas, sorted by name. */
  get named(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns the schema of what clients send. Its objects accept no undeclared fields. */
  request(schema: TSchema): JsonSchema | Ref {
    return this.#describe(closed(schema))
  }

  /** Returns the schema of what clients receive. Later versions may add fields to its objects. */
  reply(schema: TSchema): JsonSchema | Ref {
    return this.#describe(JSON.parse(JSON.stringify(schema)) as JsonSchema)
  }

  #describe(schema: JsonSchema): JsonSchema | Ref {
    const { title, ...rest } = schema
    const described = this.#parts(rest)
    if (title === undefined) return described
    const known = this.#named.get(title)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(described))
      throw new Error(`Two different schemas are named ${title}: change one of the titles`)
    this.#named.set(title, described)
    return { $ref: `#/components/schemas/${title}` }
  }

  #parts(schema: JsonSchema): JsonSchema {
    const { items, anyOf, properties } = schema
    return expanded({
      ...schema,
      ...(items === undefined ? {} : { items: this.#describe(items) as JsonSchema }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((part) => this.#describe(part) as JsonSchema) }),
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, part]) => [name, this.#describe(part) as JsonSchema]),
            ),
          }),
    })
  }
}

const { pattern: uuidPattern, description: uuidDescription } = uuid as JsonSchema

function expanded(schema: JsonSchema): JsonSchema {
  if (schema.pattern === uuidPattern) {
    const { pattern: _, description, ...rest } = schema
    return { ...rest, ...(description !== uuidDescription && { description }), format: 'uuid' }
  }
  if (schema.enum?.every((value) => typeof value === 'string') === true) return { type: 'string', ...schema }
  return schema.anyOf === undefined ? schema : nullableExpanded(schema, schema.anyOf)
}

/**
 * Converts an `anyOf` of one type and null to `{"type": ["string", "null"]}`. This form means the same, and
 * more code generators support it.
 */
function nullableExpanded(schema: JsonSchema, anyOf: readonly JsonSchema[]): JsonSchema {
  const [first, second, ...more] = anyOf
  if (first === undefined || second?.type !== 'null' || more.length > 0) return schema
  if (typeof first.type !== 'string' || first.enum !== undefined || first.const !== undefined) return schema
  const { anyOf: _, ...rest } = schema
  return { ...first, ...rest, type: [first.type, 'null'] }
}
