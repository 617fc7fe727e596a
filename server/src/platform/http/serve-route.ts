/** Serves one declared route: admission, parsing, the handler, and the answer. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../core/ids.ts'
import { type Admission, type AdmitParts, type Asking, admit, anonymous, refuseUnproven } from './admit.ts'
import { deprecationHeaders } from './deprecation.ts'
import { answerOnce, type IdempotencyParts } from './idempotency/answer-once.ts'
import { fingerprintOf, type KeyedRequest, readIdempotencyKey, scopeOf } from './idempotency/idempotency.ts'
import { rateLimitFields } from './limits/request-limit.ts'
import { problemReply } from './problems.ts'
import { type ReadRequest, requestReader } from './read-request.ts'
import { requestSignal } from './request-signal.ts'
import type { AnyReply, ReplyHeaders, Route } from './route.ts'

export interface ServeParts extends AdmitParts {
  /** The store of Idempotency-Keys; if absent, keys are ignored and every request runs. */
  readonly idempotency?: Omit<IdempotencyParts, 'log'> | undefined
  readonly log: IdempotencyParts['log']
}

const openToBrowsers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [...rateLimitFields, 'X-Request-Id'].join(', '),
}

/** @param stopping aborts when the server stops, to end handlers that wait */
export function addRoute(app: FastifyInstance, route: Route, parts: ServeParts, stopping: AbortSignal): void {
  const read = requestReader(route)
  const response = Object.fromEntries(Object.entries(route.replies).filter(([, schema]) => schema !== null))
  app.route({
    method: route.method,
    url: route.path,
    schema: { response },
    config: { showProblem: route.showProblem },
    onRequest: async (request, reply) => {
      if (route.crossOrigin) reply.headers(openToBrowsers)
      if (route.deprecated) reply.headers(deprecationHeaders(route, parts.publicUrl, paramsOf(request)))
      request.admission = await admit(parts, route, askingOf(request, reply))
    },
    handler: async (request, reply) => {
      const { admission = anonymous } = request
      const waiting = {
        signal: () => requestSignal(reply.raw, stopping),
        admitAgain: async () => {
          await admit({ ...parts, requestLimiter: undefined }, route, askingOf(request, reply))
        },
      }
      const key = route.idempotent ? readIdempotencyKey(request.headers['idempotency-key']) : undefined
      const parsed = read({ url: request.raw.url ?? '', params: paramsOf(request), body: request.body })
      refuseUnproven(route, admission, parsed.body)
      if (key === undefined || parts.idempotency === undefined) {
        return send(reply, await handle(route, request, parsed, { effectId: newId(), ...waiting }))
      }
      const keyed = keyedRequest(route, request, admission, key)
      const { status, headers, body } = await answerOnce({ ...parts.idempotency, log: parts.log }, keyed, {
        handle: async (effectId) =>
          serialized(reply, await handle(route, request, parsed, { effectId, ...waiting })),
        refuse: (problem) => {
          const rejected = problemReply(problem, request.id, parts.publicUrl)
          return { ...rejected, body: rejected.body.toString() }
        },
        signal: stopping,
      })
      reply.code(status).headers(headers)
      // The body is sent as bytes, because Fastify would add a charset to a string.
      return body === '' ? reply.send() : reply.send(Buffer.from(body))
    },
  })
}

function askingOf(request: FastifyRequest, reply: FastifyReply): Asking {
  return {
    headers: request.headers,
    segment: paramsOf(request)['merchantID'],
    address: request.clientAddress,
    setHeaders: (headers) => reply.headers(headers),
  }
}

interface Handling {
  readonly effectId: string
  readonly signal: () => AbortSignal
  readonly admitAgain: () => Promise<void>
}

function handle(
  route: Route,
  { admission = anonymous, clientAddress: address, id: requestId, headers, method }: FastifyRequest,
  parsed: ReadRequest,
  { effectId, signal, admitAgain }: Handling,
): Promise<AnyReply> {
  const isForwarded = ['x-forwarded-for', 'forwarded', 'via'].some((name) => headers[name] !== undefined)
  return route.handle({
    ...admission,
    ...parsed,
    headers,
    address,
    isForwarded,
    requestId,
    admitAgain,
    newId: effectId,
    isHead: method === 'HEAD',
    userAgent: headers['user-agent'],
    // `signal` is a getter, because only a few handlers use the signal. For the others it is not created.
    get signal() {
      return signal()
    },
  })
}

function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.params as Record<string, string>
}

function send(reply: FastifyReply, { status, headers, body }: AnyReply): FastifyReply {
  reply.code(status)
  if (headers !== undefined) setHeaders(reply, headers)
  // For a HEAD request, the stream is destroyed and an empty answer is sent. Fastify itself would answer only
  // after the whole stream has been read.
  if (reply.request.method === 'HEAD' && body instanceof Readable) {
    body.destroy()
    return reply.send()
  }
  return reply.send(body)
}

export function setHeaders(reply: FastifyReply, headers: ReplyHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) reply.removeHeader(name)
    else reply.header(name, value)
  }
}

/** Returns the answer that `send` would send, with its body as text. */
function serialized(reply: FastifyReply, { status, headers: given = {}, body }: AnyReply) {
  reply.code(status)
  const headers = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  if (body === undefined) return { status, headers, body: '' }
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: String(reply.serialize(body)) }
}

function keyedRequest(
  { method, path }: Route,
  request: FastifyRequest,
  admission: Admission,
  key: string,
): KeyedRequest {
  const params = paramsOf(request)
  const [, query = ''] = /\?(.*)$/s.exec(request.raw.url ?? '') ?? []
  return {
    key,
    scopeId: scopeOf(admission, params),
    route: `${method} ${path}`,
    fingerprint: fingerprintOf({ method, path, params, query, body: request.body }),
  }
}

/**
 * Adds the OPTIONS route that answers a browser's preflight request. The answer allows pages of other origins
 * to call the path with the methods `allowed`.
 */
export function addPreflight(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  const methods = allowed.join(', ')
  const headers = {
    allow: methods,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    'access-control-allow-headers': 'Content-Type',
    'access-control-max-age': '86400',
  }
  app.options(path, async (_request, reply) => reply.code(204).headers(headers).send())
}
