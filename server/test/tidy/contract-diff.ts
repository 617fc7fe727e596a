/** What a client of one contract would trip over in a later one. What is only added passes. */
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

/** One sentence for each breaking change; empty when every client of `before` is served by `after`. */
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

type Judge = (both: Both, place: string, before: Operation, after: Operation) => readonly string[]

function itemChanges(
  both: Both,
  before: Readonly<Record<string, PathItem>>,
  after: Readonly<Record<string, PathItem>>,
  judge: Judge,
): readonly string[] {
  return Object.entries(before).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const place = `${method.toUpperCase()} ${path}`
      const later = Object.entries(after[path] ?? {}).find(([name]) => name === method)?.[1]
      return later === undefined ? [`${place} is gone`] : judge(both, place, operation, later)
    }),
  )
}

function operationChanges(both: Both, place: string, before: Operation, after: Operation): readonly string[] {
  return [
    ...(before.operationId === after.operationId
      ? []
      : [`${place} was called ${before.operationId} and is now ${after.operationId}`]),
    ...credentialChanges(place, before, after),
    ...parameterChanges(both, place, before, after),
    ...bodyChanges(both, place, before, after),
    ...replyChanges(both, place, before, after),
  ]
}

/** Its body is what merchants' servers receive, so it may only grow, like an answer. */
function webhookChanges(both: Both, place: string, before: Operation, after: Operation): readonly string[] {
  const was = before.requestBody?.content['application/json']?.schema ?? {}
  const is = after.requestBody?.content['application/json']?.schema ?? {}
  return schemaChanges(both, `${place} body`, { was, is, side: 'answer' })
}

function credentialChanges(place: string, before: Operation, after: Operation): readonly string[] {
  if (after.security.length === 0) return []
  if (before.security.length === 0) return [`${place} now needs a credential`]
  const accepted = new Set(after.security.flatMap((scheme) => Object.keys(scheme)))
  return before.security
    .flatMap((scheme) => Object.keys(scheme))
    .filter((name) => !accepted.has(name))
    .map((name) => `${place} no longer takes ${name}`)
}

function parameterChanges(both: Both, place: string, before: Operation, after: Operation): readonly string[] {
  const was = parametersOf(both.before, before)
  const is = parametersOf(both.after, after)
  const added = [...is.values()]
    .filter(({ name, required }) => required && !was.has(name))
    .map(({ name }) => `${place} now requires ${name}`)
  const kept = [...was.values()].flatMap((parameter) => {
    const later = is.get(parameter.name)
    const spot = `${place} ${parameter.name}`
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

function bodyChanges(both: Both, place: string, before: Operation, after: Operation): readonly string[] {
  const was = before.requestBody?.content['application/json']?.schema
  const is = after.requestBody?.content['application/json']?.schema
  if (was === undefined) return after.requestBody?.required === true ? [`${place} now requires a body`] : []
  if (is === undefined) return [`${place} no longer takes a body`]
  return schemaChanges(both, `${place} body`, { was, is, side: 'input' })
}

function replyChanges(both: Both, place: string, before: Operation, after: Operation): readonly string[] {
  return Object.entries(before.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, reply]) => {
      const later = after.responses[status]
      const spot = `${place} ${status}`
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
  /** Whether clients send it or receive it: what they send may get looser, what they receive may get more. */
  readonly side: 'input' | 'answer'
}

function schemaChanges(both: Both, place: string, { was, is, side }: Compared): readonly string[] {
  const before = resolved(both.before, was)
  const after = resolved(both.after, is)
  return [
    ...typeChanges(both, place, { before, after, side }),
    ...choiceChanges(place, before, after, side),
    ...(side === 'input' ? boundChanges(place, before, after) : []),
    ...propertyChanges(both, place, { before, after, side }),
    ...memberChanges(both, place, { before, after, side }),
    ...(before.items !== undefined && after.items !== undefined
      ? schemaChanges(both, `${place}[]`, { was: before.items, is: after.items, side })
      : []),
  ]
}

interface Resolved {
  readonly before: JsonSchema
  readonly after: JsonSchema
  readonly side: Compared['side']
}

function typeChanges(both: Both, place: string, { before, after, side }: Resolved): readonly string[] {
  const was = typesOf(both.before, before)
  const is = typesOf(both.after, after)
  const [needed, given] = side === 'input' ? [was, is] : [is, was]
  return [...needed].every((type) => given.has(type))
    ? []
    : [`${place} was ${[...was].join(' or ')} and is now ${[...is].join(' or ')}`]
}

function typesOf(document: OpenApiDocument, schema: JsonSchema | Ref): ReadonlySet<string> {
  const { type, anyOf } = resolved(document, schema)
  return new Set([type ?? anyOf?.flatMap((part) => [...typesOf(document, part)]) ?? 'any'].flat())
}

/** An answer may name its choices where it named none: it says more about the same values. */
function choiceChanges(
  place: string,
  before: JsonSchema,
  after: JsonSchema,
  side: Compared['side'],
): readonly string[] {
  if (after.enum === undefined || (side === 'answer' && before.enum === undefined)) return []
  const left = new Set(after.enum)
  const choices = before.enum
  if (choices === undefined) return [`${place} is now one of ${after.enum.join(', ')}`]
  return choices
    .filter((value) => !left.has(value))
    .map((value) => `${place} has no ${String(value)} any more`)
}

const ceilings = ['maximum', 'maxLength', 'maxItems'] as const
const floors = ['minimum', 'minLength', 'minItems'] as const

function boundChanges(place: string, before: JsonSchema, after: JsonSchema): readonly string[] {
  const tighter = [
    ...ceilings.filter((bound) => (after[bound] ?? Infinity) < (before[bound] ?? Infinity)),
    ...floors.filter((bound) => (after[bound] ?? -Infinity) > (before[bound] ?? -Infinity)),
    ...(after.pattern !== undefined && after.pattern !== before.pattern ? ['pattern'] : []),
  ]
  return tighter.map((bound) => `${place} is held to a narrower ${bound}`)
}

function propertyChanges(both: Both, place: string, { before, after, side }: Resolved): readonly string[] {
  const was = before.properties ?? {}
  const is = after.properties ?? {}
  const must = new Set(after.required)
  const mustHave = new Set(before.required)
  const kept = Object.entries(was).flatMap(([name, part]) => {
    const later = is[name]
    if (later === undefined) return [`${place}/${name} is gone`]
    const isLost = side === 'answer' && mustHave.has(name) && !must.has(name)
    const sometimes = isLost ? [`${place}/${name} may be absent now`] : []
    return [...sometimes, ...schemaChanges(both, `${place}/${name}`, { was: part, is: later, side })]
  })
  if (side === 'answer') return kept
  const required = [...must]
    .filter((name) => !mustHave.has(name))
    .map((name) => `${place}/${name} is now required`)
  return [...required, ...kept]
}

/** Named members of a union: an answer may have more of them, and each is held to what it was. */
function memberChanges(both: Both, place: string, { before, after, side }: Resolved): readonly string[] {
  const later = new Map(membersOf(after))
  return membersOf(before).flatMap(([name, was]) => {
    const is = later.get(name)
    return is === undefined
      ? [`${place} has no ${name} any more`]
      : schemaChanges(both, `${place} ${name}`, { was, is, side })
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
