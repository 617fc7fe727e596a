/**
 * Describes problems in the OpenAPI document: which problems an operation can answer with, and their schemas.
 */
import { type ProblemCode, problems } from '../../../core/errors.ts'
import type { JsonSchema } from '../json-schema.ts'
import { problemMediaType } from '../problems.ts'
import type { Route } from '../route.ts'
import { uuidExample } from './examples.ts'
import type { Header, Ref, Response } from './openapi.ts'

export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'An error, as described by RFC 7807.',
    properties: {
      type: { type: 'string', format: 'uri', description: 'a page that explains this kind of problem' },
      title: { type: 'string', description: 'the kind of problem in a few words' },
      status: { type: 'integer', description: 'the HTTP status' },
      detail: { type: 'string', description: 'what is wrong with this request, and what to do' },
      code: ref('ProblemCode') as JsonSchema,
      requestID: {
        type: 'string',
        format: 'uuid',
        description: 'id of this request; quote it when you ask for help',
      },
      errors: {
        type: 'array',
        items: ref('FieldError') as JsonSchema,
        description: 'each error of an invalid request, with its location',
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestID'],
  },
  ProblemCode: {
    type: 'string',
    enum: Object.keys(problems).sort(),
    description:
      'The kind of problem, for programs. New codes may be added: for an unknown one, use the status.',
  },
  FieldError: {
    type: 'object',
    properties: {
      pointer: {
        type: 'string',
        description: 'a JSON pointer into the body, or query/<name>, path/<name>, header/<name>',
      },
      detail: { type: 'string', description: 'what is wrong with the field' },
    },
    required: ['pointer', 'detail'],
  },
}

function ref(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * Returns every problem code that the route can answer with: the codes that the route declares, and the codes
 * that the server itself adds, for example for its rate limit.
 */
export function problemCodesOf(route: Route): ReadonlySet<ProblemCode> {
  return new Set<ProblemCode>([
    ...route.errors,
    'invalid-request',
    ...(route.auth === 'open' ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(route.path.includes(':') ? (['not-found'] as const) : []),
    ...(route.method === 'GET' ? [] : bodyCodes),
    ...(route.idempotent ? idempotencyCodes : []),
    ...(route.isCounted ? (['too-many-requests'] as const) : []),
    ...alwaysCodes,
  ])
}

/**
 * Problem codes of routes whose method allows a body. The server reads and checks a body even if the route
 * declares none.
 */
const bodyCodes = [
  'malformed-json',
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
] as const

const idempotencyCodes = ['idempotency-conflict', 'idempotency-in-progress'] as const

const alwaysCodes = [
  'uri-too-long',
  'headers-too-large',
  'internal',
  'too-busy',
  'query-too-slow',
  'database-unavailable',
] as const

/** Returns one reply for each HTTP status. Codes with the same status share a reply. */
export function problemRepliesOf(codes: Iterable<ProblemCode>): Readonly<Record<string, Response>> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of [...codes].sort()) {
    const { status } = problems[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [String(status), problemReplyOf(status, same)]),
  )
}

function problemReplyOf(status: number, codes: readonly ProblemCode[]): Response {
  const examples = codes.map((code) => [code, { summary: problems[code].title, value: exampleProblem(code) }])
  return {
    description: `${codes.map((code) => problems[code].title).join('; or: ')}.`,
    headers: {
      'X-Request-Id': headerRef('X-Request-Id'),
      ...(status === 401 ? { 'WWW-Authenticate': headerRef('WWW-Authenticate') } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': headerRef('Retry-After') } : {}),
    },
    content: { [problemMediaType]: { schema: ref('Problem'), examples: Object.fromEntries(examples) } },
  }
}

const fieldExample = { pointer: '/amount', detail: 'must be a decimal string such as "12.50"' }

function exampleProblem(code: ProblemCode) {
  const { status, title } = problems[code]
  const isField = code === 'invalid-request'
  return {
    type: `https://pay.example/problems/${code}`,
    title,
    status,
    detail: isField ? `${fieldExample.pointer} ${fieldExample.detail}.` : `${title}.`,
    code,
    requestID: uuidExample,
    ...(isField ? { errors: [fieldExample] } : {}),
  }
}

export function headerRef(name: string): Ref {
  return { $ref: `#/components/headers/${name}` }
}

const count: JsonSchema = { type: 'integer', minimum: 0 }

export const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Id of this request in the server’s log; quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme that is accepted.',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="coffer"'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: count },
  'RateLimit-Limit': { description: 'Requests that this credential may make per window.', schema: count },
  'RateLimit-Remaining': { description: 'Requests left in the current window.', schema: count },
  'RateLimit-Policy': {
    description: 'The limit and the length of its window in seconds.',
    schema: { type: 'string', examples: ['100;w=1'] },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'When this operation was deprecated (RFC 9745).',
    schema: { type: 'string', examples: ['@1767225600'] },
  },
  Sunset: {
    description: 'When this operation may be removed (RFC 8594).',
    schema: { type: 'string', examples: ['Wed, 01 Jul 2026 00:00:00 GMT'] },
  },
  Link: { description: 'The operation that replaces it.', schema: { type: 'string' } },
  'RateLimit-Reset': { description: 'Seconds until a new window starts.', schema: count },
}
