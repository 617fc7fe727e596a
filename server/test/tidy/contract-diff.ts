/** Finds changes of the contract that break clients. Additions pass. */
import type { JsonSchema } from '../../src/platform/http/json-schema.ts'
import {
  isRef,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type Ref,
  type Response,
} from '../../src/platform/http/openapi/openapi.ts'

/**
 * Returns one sentence for each breaking change. The result is empty if every client of `before` works with
 * `after`.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  const both = { before, after }
  return [
    ...itemChanges(both, before.paths, after.paths, operationChanges),
    ...itemChanges(both, before.webhooks, after.webhooks, webhookChanges),
  ]
}

interface Both {
  readonly before: OpenApiDocument
  readonly after: OpenApiDocument
}

type Compare = (both: Both, location: string, before: Operation, after: Operation) => readonly string[]

function itemChanges(
  both: Both,
  before: Readonly<Record<string, PathItem>>,
  after: Readonly<Record<string, PathItem>>,
  compare: Compare,
): readonly string[] {
  return Object.entries(before).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const location = `${method.toUpperCase()} ${path}`
      const later = Object.entries(after[path] ?? {}).find(([name]) => name === method)?.[1]
      return later === undefined ? [`${location} is gone`] : compare(both, location, operation, later)
    }),
  )
}

function operationChanges(
  both: Both,
  location: string,
  before: Operation,
  after: Operation,
): readonly string[] {
  return [
    ...(before.operationId === after.operationId
      ? []
      : [`${location} was called ${before.operationId} and is now ${after.operationId}`]),
    ...credentialChanges(location, before, after),
    ...parameterChanges(both, location, before, after),
    ...bodyChanges(both, location, before, after),
    ...replyChanges(both, location, before, after),
  ]
}

/**
 * Compares webhooks. Merchants' servers receive their bodies, so the bodies may only get more fields, like
 * answers.
 */
function webhookChanges(
  both: Both,
  location: string,
  before: Operation,
  after: Operation,
): readonly string[] {
  const was = before.requestBody?.content['application/json']?.schema ?? {}
  const is = after.requestBody?.content['application/json']?.schema ?? {}
  return schemaChanges(both, `${location} body`, { was, is, side: 'answer' })
}

function credentialChanges(location: string, before: Operation, after: Operation): readonly string[] {
  if (after.security.length === 0) return []
  if (before.security.length === 0) return [`${location} now needs a credential`]
  const accepted = new Set(after.security.flatMap((scheme) => Object.keys(scheme)))
  return before.security
    .flatMap((scheme) => Object.keys(scheme))
    .filter((name) => !accepted.has(name))
    .map((name) => `${location} no longer takes ${name}`)
}

function parameterChanges(
  both: Both,
  location: string,
  before: Operation,
  after: Operation,
): readonly string[] {
  const was = parametersOf(both.before, before)
  const is = parametersOf(both.after, after)
  const added = [...is.values()]
    .filter(({ name, required }) => required && !was.has(name))
    .map(({ name }) => `${location} now requires ${name}`)
  const kept = [...was.values()].flatMap((parameter) => {
    const later = is.get(parameter.name)
    const spot = `${location} ${parameter.name}`
    if (later === undefined) return [`${spot} is gone, and would be refused`]
    const must = later.required && !parameter.required ? [`${spot} is now required`] : []
    return [...must, ...schemaChanges(both, spot, { was: parameter.schema, is: later.schema, side: 'input' })]
  })
  return [...added, ...kept]
}

function parametersOf(document: OpenApiDocument, { parameters = [] }: Operation): Map<string, Parameter> {
  const resolved = parameters.map((one) =>
    isRef(one) ? (document.components.parameters[nameOf(one)] as Parameter) : one,
  )
  return new Map(resolved.map((parameter) => [parameter.name, parameter]))
}

function bodyChanges(both: Both, location: string, before: Operation, after: Operation): readonly string[] {
  const was = before.requestBody?.content['application/json']?.schema
  const is = after.requestBody?.content['application/json']?.schema
  if (was === undefined)
    return after.requestBody?.required === true ? [`${location} now requires a body`] : []
  if (is === undefined) return [`${location} no longer takes a body`]
  return schemaChanges(both, `${location} body`, { was, is, side: 'input' })
}

function replyChanges(both: Both, location: string, before: Operation, after: Operation): readonly string[] {
  return Object.entries(before.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, reply]) => {
      const later = after.responses[status]
      const spot = `${location} ${status}`
      if (later === undefined) return [`${spot} is answered no more`]
      const is = contentOf(both.after, later)
      return Object.entries(contentOf(both.before, reply)).flatMap(([type, { schema }]) => {
        const shown = is[type]
        if (shown === undefined) return [`${spot} is no longer ${type}`]
        return schemaChanges(both, spot, { was: schema, is: shown.schema, side: 'answer' })
      })
    })
}

function contentOf({ components }: OpenApiDocument, reply: Response | Ref): NonNullable<Response['content']> {
  return (isRef(reply) ? components.responses[nameOf(reply)] : reply)?.content ?? {}
}

interface Compared {
  readonly was: JsonSchema | Ref
  readonly is: JsonSchema | Ref
  /**
   * Whether clients send or receive the schema. Rules for what they send may become looser; what they receive
   * may get more fields.
   */
  readonly side: 'input' | 'answer'
}

function schemaChanges(both: Both, location: string, { was, is, side }: Compared): readonly string[] {
  const before = resolved(both.before, was)
  const after = resolved(both.after, is)
  return [
    ...typeChanges(both, location, { before, after, side }),
    ...choiceChanges(location, before, after, side),
    ...(side === 'input' ? boundChanges(location, before, after) : []),
    ...propertyChanges(both, location, { before, after, side }),
    ...memberChanges(both, location, { before, after, side }),
    ...(before.items !== undefined && after.items !== undefined
      ? schemaChanges(both, `${location}[]`, { was: before.items, is: after.items, side })
      : []),
  ]
}

interface Resolved {
  readonly before: JsonSchema
  readonly after: JsonSchema
  readonly side: Compared['side']
}

function typeChanges(both: Both, location: string, { before, after, side }: Resolved): readonly string[] {
  const was = typesOf(both.before, before)
  const is = typesOf(both.after, after)
  const [needed, given] = side === 'input' ? [was, is] : [is, was]
  return [...needed].every((type) => given.has(type))
    ? []
    : [`${location} was ${[...was].join(' or ')} and is now ${[...is].join(' or ')}`]
}

function typesOf(document: OpenApiDocument, schema: JsonSchema | Ref): ReadonlySet<string> {
  const { type, anyOf } = resolved(document, schema)
  return new Set([type ?? anyOf?.flatMap((part) => [...typesOf(document, part)]) ?? 'any'].flat())
}

/**
 * Compares the choices of a value. An answer may list choices if it listed none before, which only says more
 * about the same values.
 */
function choiceChanges(
  location: string,
  before: JsonSchema,
  after: JsonSchema,
  side: Compared['side'],
): readonly string[] {
  if (after.enum === undefined || (side === 'answer' && before.enum === undefined)) return []
  const left = new Set(after.enum)
  const choices = before.enum
  if (choices === undefined) return [`${location} is now one of ${after.enum.join(', ')}`]
  return choices
    .filter((value) => !left.has(value))
    .map((value) => `${location} has no ${String(value)} any more`)
}

const ceilings = ['maximum', 'maxLength', 'maxItems'] as const
const floors = ['minimum', 'minLength', 'minItems'] as const

function boundChanges(location: string, before: JsonSchema, after: JsonSchema): readonly string[] {
  const tighter = [
    ...ceilings.filter((bound) => (after[bound] ?? Infinity) < (before[bound] ?? Infinity)),
    ...floors.filter((bound) => (after[bound] ?? -Infinity) > (before[bound] ?? -Infinity)),
    ...(after.pattern !== undefined && after.pattern !== before.pattern ? ['pattern'] : []),
  ]
  return tighter.map((bound) => `${location} is held to a narrower ${bound}`)
}

function propertyChanges(both: Both, location: string, { before, after, side }: Resolved): readonly string[] {
  const was = before.properties ?? {}
  const is = after.properties ?? {}
  const must = new Set(after.required)
  const mustHave = new Set(before.required)
  const kept = Object.entries(was).flatMap(([name, part]) => {
    const later = is[name]
    if (later === undefined) return [`${location}/${name} is gone`]
    const isLost = side === 'answer' && mustHave.has(name) && !must.has(name)
    const sometimes = isLost ? [`${location}/${name} may be absent now`] : []
    return [...sometimes, ...schemaChanges(both, `${location}/${name}`, { was: part, is: later, side })]
  })
  if (side === 'answer') return kept
  const required = [...must]
    .filter((name) => !mustHave.has(name))
    .map((name) => `${location}/${name} is now required`)
  return [...required, ...kept]
}

/**
 * Compares the named members of a union. An answer may add members, and each old member is compared with its
 * former version.
 */
function memberChanges(both: Both, location: string, { before, after, side }: Resolved): readonly string[] {
  const later = new Map(membersOf(after))
  return membersOf(before).flatMap(([name, was]) => {
    const is = later.get(name)
    return is === undefined
      ? [`${location} has no ${name} any more`]
      : schemaChanges(both, `${location} ${name}`, { was, is, side })
  })
}

function membersOf({ anyOf = [] }: JsonSchema): readonly (readonly [string, Ref])[] {
  return anyOf.flatMap((part) => (isRef(part) ? [[nameOf(part), part] as const] : []))
}

function resolved({ components }: OpenApiDocument, schema: JsonSchema | Ref): JsonSchema {
  return isRef(schema) ? (components.schemas[nameOf(schema)] ?? {}) : schema
}

function nameOf({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
