/**
 * Serves declared routes. Some defaults of Fastify are off, because they violate the API's specification:
 * type coercion, silent removal of undeclared fields, and Fastify's own error bodies. Every error is answered
 * with a problem of `core/errors.ts`.
 */

import { setMaxListeners } from 'node:events'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { monotonicMs, startTimer } from '../../core/clock.ts'
import { AlertError, fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import type { Admission } from './admit.ts'
import { allowedMethods } from './allowed-methods.ts'
import { parseBody } from './body.ts'
import { clientErrorHandler } from './client-error.ts'
import { clientAddress, type TrustedProxies } from './limits/client-address.ts'
import { addressKey, countRequest } from './limits/request-limit.ts'
import { createListener, type ListenerOptions } from './listener.ts'
import { problemOf, problemReply } from './problems.ts'
import type { Route } from './route.ts'
import { addPreflight, addRoute, type ServeParts, setHeaders } from './serve-route.ts'

export interface ServerParts extends ServeParts, ListenerOptions {
  readonly routes: readonly Route[]
  readonly log: Log
  /** The URL at which clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  /** The proxies whose X-Forwarded-For is trusted; none if absent. */
  readonly trustedProxies?: TrustedProxies | undefined
  readonly drainTimeoutMs?: number
  /** Called for every answer, for metrics. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined
}

export interface Answered {
  readonly method: string
  /** The declared path, never the path as sent. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    showProblem?: Route['showProblem'] | undefined
  }
  interface FastifyRequest {
    admission: Admission | undefined
    clientAddress: string
    /**
     * The Content-Type header as sent. The header itself is deleted, because Fastify would check it before it
     * reads the body.
     */
    sentMediaType: string | undefined
  }
}

/**
 * Builds a server that is not listening yet: call `await app.listen({ host, port })`. `app.close()` stops
 * accepting requests, gives running requests `drainTimeoutMs` to end, then closes the remaining connections.
 */
export function buildServer(parts: ServerParts): FastifyInstance {
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    clientErrorHandler: clientErrorHandler(parts.publicUrl),
    frameworkErrors: (error, request, reply) => sendProblem(parts, error, request, reply),
    genReqId: () => newId(),
    requestIdHeader: false,
    return503OnClosing: false,
    rewriteUrl: ({ url }) => decodableUrl(url ?? '/'),
    serverFactory: (handler) => createListener(handler, parts),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.urlBytes },
  })
  app.decorateRequest('admission', undefined)
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('sentMediaType', undefined)
  addHooks(app, parts)
  addBodyParser(app)
  const allowed = allowedMethods(parts.routes)
  app.setErrorHandler((error, request, reply) => sendProblem(parts, error, request, reply))
  app.setNotFoundHandler(async (request, reply) => {
    await countRequest(parts.requestLimiter, addressKey(request.clientAddress), (headers) =>
      reply.headers(headers),
    )
    const methods = allowed(request.url.split('?', 1)[0] ?? '')
    if (methods.length === 0) throw fail('not-found', 'Not found.')
    const allow = methods.join(', ')
    throw fail('method-not-allowed', `This path supports only ${allow}.`, { headers: { allow } })
  })
  const stopping = new AbortController()
  // Each waiting request adds a listener. Without a maximum number, Node does not report many listeners as a
  // leak.
  setMaxListeners(0, stopping.signal)
  app.addHook('preClose', async () => stopping.abort())
  for (const route of parts.routes) addRoute(app, route, parts, stopping.signal)
  for (const path of new Set(parts.routes.filter((route) => route.crossOrigin).map((route) => route.path))) {
    addPreflight(app, path, allowed(path))
  }
  return app
}

function sendProblem(
  parts: ServerParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOf(error)
  const { cause } = problem.extras
  // A problem without a cause, such as "not ready", gets no log line of its own. The log line of its request
  // is enough.
  if (problem.status >= 500 && cause !== undefined) {
    const fields = { requestId: request.id, method: request.method, route: request.routeOptions.url }
    const alert = cause instanceof AlertError ? { alert: cause.alert } : {}
    parts.log.error({ ...fields, ...alert, err: cause }, 'request failed')
  }
  const { status, headers, body } = problemReply(problem, request.id, parts.publicUrl)
  const { showProblem } = request.routeOptions.config
  reply.code(status).headers(headers)
  if (showProblem === undefined || !wantsPage(request)) return reply.send(body)
  const page = showProblem(problem, request.headers)
  setHeaders(reply, { ...page.headers, 'content-type': 'text/html; charset=utf-8' })
  return reply.send(page.body)
}

/**
 * Returns true if a browser requests a page. Only a browser that opens a page sends an Accept header with
 * text/html; programs accept anything or JSON.
 */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}

function addHooks(app: FastifyInstance, parts: ServerParts): void {
  const constant = securityHeaders(parts.publicUrl)
  app.addHook('onRequest', async (request, reply) => {
    // The event `close` is used, and not the hook onResponse. On Node 24, that hook is not called for a
    // response whose connection is cut.
    const beganMs = monotonicMs()
    reply.raw.once('close', () => noteAnswered(parts, request, reply, monotonicMs() - beganMs))
    reply.headers(constant).header('x-request-id', request.id)
    request.clientAddress = clientAddress(
      request.socket.remoteAddress ?? '',
      forwardedFor(request),
      parts.trustedProxies,
    )
    request.sentMediaType = request.headers['content-type']
    delete request.raw.headers['content-type']
    refuseWithoutHost(request)
    if ((request.raw.url ?? '').length > limits.urlBytes) {
      throw fail('uri-too-long', `The path and query are longer than ${limits.urlBytes} bytes.`)
    }
  })
  let isClosing = false
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // During the shutdown, each answer closes its connection. An idle connection would delay the shutdown.
    if (isClosing) reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    isClosing = true
    const cut = startTimer(
      () => app.server.closeAllConnections(),
      parts.drainTimeoutMs ?? limits.drainTimeoutMs,
    )
    cut.unref()
    app.server.once('close', () => cut.cancel())
  })
}

/**
 * Counts and logs an answered request. The status is 499 if the connection ended before the answer began, as
 * proxies log it.
 */
function noteAnswered(
  parts: ServerParts,
  request: FastifyRequest,
  { raw }: FastifyReply,
  elapsedMs: number,
): void {
  const { method, id, routeOptions } = request
  const ms = Math.round(elapsedMs * 10) / 10
  const status = raw.headersSent ? raw.statusCode : 499
  // Logs the declared route, never the URL, because a URL may contain values that must not be logged.
  const answered = { method, route: routeOptions.url ?? 'none', status, ms }
  parts.onAnswered?.(answered)
  parts.log.debug?.({ ...answered, requestId: id }, 'request')
}

/**
 * Rejects a request with several Host headers, and an HTTP/1.1 request without one (RFC 9112, section 3.2). A
 * proxy in front of this server could read another host from such a request.
 */
function refuseWithoutHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length === 1 || (hosts.length === 0 && raw.httpVersion !== '1.1')) return
  throw fail('invalid-request', 'The request must have exactly one Host header.')
}

function forwardedFor(request: FastifyRequest): string | undefined {
  const header = request.headers['x-forwarded-for']
  return typeof header === 'string' ? header : header?.join(',')
}

/**
 * Returns the default headers of all answers. They forbid browsers to show an answer in a frame, to guess its
 * media type, to cache it, or to run scripts in it. A page that needs more rights sends its own
 * Content-Security-Policy.
 */
function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}

function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer, done) => {
    try {
      const contentEncoding = request.headers['content-encoding']
      done(null, parseBody(bytes, { contentType: request.sentMediaType, contentEncoding }))
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Returns the path and query of a URL for the router. A path with percent-escapes that are not valid UTF-8 is
 * kept as text, so that an id with such escapes is handled like any other unknown id. A URL in absolute form
 * (RFC 9112, section 3.2.2) is reduced to path and query.
 */
function decodableUrl(url: string): string {
  const absolute = /^https?:\/\/[^/?#]*([/?].*)?$/i.exec(url)
  const relative = absolute === null ? url : (absolute[1] ?? '/')
  const cut = relative.indexOf('?')
  const path = cut < 0 ? relative : relative.slice(0, cut)
  try {
    decodeURIComponent(path)
    return relative
  } catch {
    return path.replaceAll('%', '%25') + (cut < 0 ? '' : relative.slice(cut))
  }
}
