/** Route schemas as the document shows them: named ones once under components, spellings that readers and tools know. */
import type { TSchema } from 'typebox'
import { closed, type JsonSchema } from '../json-schema.ts'
import { uuid } from '../wire.ts'
import type { Ref } from './openapi.ts'

/** Collects the schemas that carry a `title`: they become components, and every use of them a reference. */
export class SchemaCollector {
  readonly #named = new Map<string, JsonSchema>()

  /** By name, in the order of the alphabet. */
  get named(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** What clients send: objects take no undeclared fields. */
  request(schema: TSchema): JsonSchema | Ref {
    return this.#describe(closed(schema))
  }

  /** What clients receive: fields may be added to it in time. */
  reply(schema: TSchema): JsonSchema | Ref {
    return this.#describe(JSON.parse(JSON.stringify(schema)) as JsonSchema)
  }

  #describe(schema: JsonSchema): JsonSchema | Ref {
    const { title, ...rest } = schema
    const described = this.#parts(rest)
    if (title === undefined) return described
    const known = this.#named.get(title)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(described))
      throw new Error(`Two different schemas are named ${title}: give one another title`)
    this.#named.set(title, described)
    return { $ref: `#/components/schemas/${title}` }
  }

  #parts(schema: JsonSchema): JsonSchema {
    const { items, anyOf, properties } = schema
    return spelled({
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

function spelled(schema: JsonSchema): JsonSchema {
  if (schema.pattern === uuidPattern) {
    const { pattern: _, description, ...rest } = schema
    return { ...rest, ...(description !== uuidDescription && { description }), format: 'uuid' }
  }
  if (schema.enum?.every((value) => typeof value === 'string') === true) return { type: 'string', ...schema }
  return schema.anyOf === undefined ? schema : nullableSpelled(schema, schema.anyOf)
}

/** `{"type": ["string", "null"]}` says the same as an anyOf of both, and is what generators of types know best. */
function nullableSpelled(schema: JsonSchema, anyOf: readonly JsonSchema[]): JsonSchema {
  const [first, second, ...more] = anyOf
  if (first === undefined || second?.type !== 'null' || more.length > 0) return schema
  if (typeof first.type !== 'string' || first.enum !== undefined || first.const !== undefined) return schema
  const { anyOf: _, ...rest } = schema
  return { ...first, ...rest, type: [first.type, 'null'] }
}
