/** Creates the HTTP server, plain or with TLS, with timeouts against clients that never finish a request. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { limits } from '../../core/limits.ts'

/** Certificate chain and private key, as PEM. */
export interface TlsPair {
  readonly cert: string
  readonly key: string
}

export interface ListenerOptions {
  readonly tls?: TlsPair | undefined
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /**
   * How long a connection may transmit nothing before it is closed, even during a request. Live streams send
   * more often.
   */
  readonly stallTimeoutMs?: number
}

export function createListener(
  handler: RequestListener,
  {
    tls,
    headersTimeoutMs: headersTimeout = limits.headersTimeoutMs,
    requestTimeoutMs: requestTimeout = limits.requestTimeoutMs,
    stallTimeoutMs = limits.stallTimeoutMs,
  }: ListenerOptions,
): Server {
  const options = {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // `refuseWithoutHost` checks the Host header. If this option were true, Node would reject a request
    // without Host before that check, and its answer would have no problem body.
    requireHostHeader: false,
    // How often Node checks for requests that have timed out; its default is 30 s.
    connectionsCheckingInterval: 1_000,
  }
  const server =
    tls === undefined ? createServer(options, handler) : createTlsServer({ ...options, ...tls }, handler)
  // Without this timeout, the answers for a client that requests much and reads nothing would stay in memory
  // without a limit.
  server.timeout = stallTimeoutMs
  // Treats a request with an unknown Expect header like any other request (RFC 9110, section 10.1.1). Node
  // itself would answer 417 without a body.
  return server.on('checkExpectation', handler)
}
