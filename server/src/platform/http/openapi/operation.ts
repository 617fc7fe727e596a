/** Describes one route as an operation of the OpenAPI document. */
import type { ProblemCode } from '../../../core/errors.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { Auth, Route } from '../route.ts'
import { uuid } from '../wire.ts'
import { exampleOf } from './examples.ts'
import type { HttpMethod, MediaType, Operation, Parameter, Ref, Response } from './openapi.ts'
import { operationIdOf } from './operation-ids.ts'
import { headerRef, problemCodesOf, problemRepliesOf } from './problem-replies.ts'
import type { SchemaCollector } from './schemas.ts'
import { tagOf } from './tags.ts'

/** Converts a path to OpenAPI's form: `/merchants/{merchantID}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

export function methodOf(route: Route): HttpMethod {
  return route.method.toLowerCase() as HttpMethod
}

export function describeOperation(route: Route, schemas: SchemaCollector): Operation {
  const parameters = [
    ...pathParameters(route, schemas),
    ...queryParameters(route, schemas),
    ...keyParameter(route),
  ]
  return {
    operationId: operationIdOf(route),
    tags: [route.tag ?? tagOf(route.path)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(route.auth),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route, schemas),
    responses: repliesOf(route, schemas),
  }
}

function securityOf(auth: Auth): Operation['security'] {
  switch (auth) {
    case 'open':
      return []
    case 'bearer':
      return [{ bearerAuth: [] }]
    case 'any':
      return [{ bearerAuth: [] }, { apiKey: [] }]
  }
}

function pathParameters(route: Route, schemas: SchemaCollector): readonly Parameter[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = schemas.request(route.params?.[name] ?? uuid)
    return {
      name,
      in: 'path',
      required: true,
      schema,
      example: exampleOf(schema as JsonSchema, 'request', name),
    }
  })
}

function queryParameters({ query, example }: Route, schemas: SchemaCollector): readonly Parameter[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = schemas.request(query) as JsonSchema
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema
    const isList = schema.type === 'array'
    const isRequired = required.includes(name) && schema.default === undefined
    const shown = example?.query?.[name]
    return {
      name: isList ? `${name}[]` : name,
      in: 'query',
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      ...(isList ? { style: 'form', explode: true } : {}),
      schema: rest,
      ...(shown === undefined && !isRequired ? {} : { example: shown ?? exampleOf(schema, 'request', name) }),
    }
  })
}

function keyParameter(route: Route): readonly Ref[] {
  return route.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
}

function bodyOf({ body, example }: Route, schemas: SchemaCollector): Pick<Operation, 'requestBody'> {
  if (body === undefined) return {}
  const { required = [] } = body as JsonSchema
  const shown = example?.body ?? exampleOf(body as JsonSchema, 'request')
  const content = { 'application/json': { schema: schemas.request(body), example: shown } }
  return { requestBody: { required: required.length > 0, content } }
}

function repliesOf(route: Route, schemas: SchemaCollector): Operation['responses'] {
  const successes = Object.entries(route.replies).map(([status, schema]): [string, Response] => [
    status,
    {
      description: successPhrases[status] ?? 'Done',
      headers: successHeadersOf(route),
      ...(schema === null ? {} : { content: contentOf(schema as JsonSchema, route, schemas) }),
    },
  ])
  return { ...Object.fromEntries(successes), ...problemsOf(problemCodesOf(route)) }
}

const successPhrases: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; it will be processed.',
  204: 'Done, without a body.',
}

const rateLimitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy']

function successHeadersOf({ isCounted, idempotent, deprecated }: Route): Response['headers'] & object {
  const limits = isCounted ? rateLimitHeaders : []
  const replay = idempotent ? ['Idempotent-Replayed'] : []
  const notice = deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link']
  const names = ['X-Request-Id', ...limits, ...replay, ...notice]
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]))
}

function contentOf(schema: JsonSchema, route: Route, schemas: SchemaCollector): Record<string, MediaType> {
  const { contentMediaType = 'application/json', ...rest } = schema
  if (contentMediaType !== 'application/json') return { [contentMediaType]: { schema: rest } }
  const example = route.example?.reply ?? exampleOf(schema, 'reply')
  return { [contentMediaType]: { schema: schemas.reply(rest as never), example } }
}

/**
 * Returns the problem replies of an operation, by HTTP status. A reply that many operations share is described
 * once, under `components`. Each of these operations contains only a reference to it.
 */
function problemsOf(codes: ReadonlySet<ProblemCode>): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(problemRepliesOf(codes)).map(([status, reply]) => {
      const [name] = Object.entries(sharedReplies).find(([, shared]) => isSame(shared, reply)) ?? []
      return [status, name === undefined ? reply : { $ref: `#/components/responses/${name}` }]
    }),
  )
}

function isSame(a: Response, b: Response): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const shared: Readonly<Record<string, readonly ProblemCode[]>> = {
  InvalidRequest: ['invalid-request'],
  InvalidBody: ['invalid-request', 'malformed-json'],
  Unauthenticated: ['unauthenticated'],
  Forbidden: ['forbidden'],
  NotFound: ['not-found'],
  RequestTimeout: ['request-timeout'],
  PayloadTooLarge: ['payload-too-large'],
  UriTooLong: ['uri-too-long'],
  UnsupportedMediaType: ['unsupported-media-type'],
  TooManyRequests: ['too-many-requests'],
  HeadersTooLarge: ['headers-too-large'],
  Internal: ['internal'],
  Unavailable: ['too-busy', 'query-too-slow', 'database-unavailable'],
}

export const sharedReplies: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.entries(shared).map(([name, codes]) => {
    const [reply] = Object.values(problemRepliesOf(codes))
    return [name, reply as Response]
  }),
)
