/**
 * Serves declared routes. Fastify's defaults that would bend the contract (coercion, silent dropping of fields,
 * its own error bodies) are off; every answer that is no success is a problem of the catalogue.
 */
import { setMaxListeners } from 'node:events'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
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
  /** How clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  /** Whose X-Forwarded-For is believed; absent: nobody's. */
  readonly trustedProxies?: TrustedProxies | undefined
  readonly drainTimeoutMs?: number
  /** Told of every answer, for figures. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined
}

export interface Answered {
  readonly method: string
  /** As declared, never as sent. */
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
    /** The Content-Type as sent; hidden from the framework, which would judge it before looking at the body. */
    sentMediaType: string | undefined
  }
}

/**
 * A server that is not listening yet: `await app.listen({ host, port })`. `app.close()` stops accepting, lets running
 * requests end for `drainTimeoutMs`, then cuts what is left.
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
    if (methods.length === 0) throw fail('not-found', 'Nothing is here.')
    const allow = methods.join(', ')
    throw fail('method-not-allowed', `This path answers ${allow}.`, { headers: { allow } })
  })
  const stopping = new AbortController()
  // One listener for each request that waits: many are no leak to warn of.
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
  // A refusal that says all there is, such as "not ready", is in the request's own line; a cause is told nowhere else.
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

/** Browsers that open a page say so; programs ask for anything or for JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}

function addHooks(app: FastifyInstance, parts: ServerParts): void {
  const constant = securityHeaders(parts.publicUrl)
  app.addHook('onRequest', async (request, reply) => {
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
  app.addHook('onResponse', async (request, reply) => {
    const { method, id, routeOptions } = request
    const ms = Math.round(reply.elapsedTime * 10) / 10
    // The route, never the URL: queries and paths may hold what must not be kept.
    const answered = { method, route: routeOptions.url ?? 'none', status: reply.statusCode, ms }
    parts.onAnswered?.(answered)
    parts.log.debug?.({ ...answered, requestId: id }, 'request')
  })
  let isClosing = false
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // Else the connection of a request that was running would idle on and hold the end up.
    if (isClosing) reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    isClosing = true
    const cut = setTimeout(
      () => app.server.closeAllConnections(),
      parts.drainTimeoutMs ?? limits.drainTimeoutMs,
    )
    cut.unref()
    app.server.once('close', () => clearTimeout(cut))
  })
}

/** RFC 9112, section 3.2: with none or with two, we and what stands before us may take it for different requests. */
function refuseWithoutHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length === 1 || (hosts.length === 0 && raw.httpVersion !== '1.1')) return
  throw fail('invalid-request', 'A request has one Host header.')
}

function forwardedFor(request: FastifyRequest): string | undefined {
  const header = request.headers['x-forwarded-for']
  return typeof header === 'string' ? header : header?.join(',')
}

/** An API's answers are never framed, sniffed, cached or run; pages that need more set their own policy. */
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
 * The path and query to route. Escapes that decode to no UTF-8 are kept as text, so that such an id is judged like
 * any other that names nothing; the absolute form (RFC 9112, section 3.2.2) is reduced to its path.
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
