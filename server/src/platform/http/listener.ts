/** The socket side of the server: plain or TLS, with the time limits against clients that never finish. */
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
  /** How long nothing may come or go while a request is answered; live streams send something more often. */
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
    // Node would answer a missing Host without a problem's body; the server looks itself.
    requireHostHeader: false,
    // How often Node looks for requests past their time; its default is 30 s.
    connectionsCheckingInterval: 1_000,
  }
  const server =
    tls === undefined ? createServer(options, handler) : createTlsServer({ ...options, ...tls }, handler)
  // Else whoever asks for much and reads none of it keeps it all in memory for as long as they like.
  server.timeout = stallTimeoutMs
  // An expectation we do not know may be passed over (RFC 9110, section 10.1.1); Node would answer a bare 417.
  return server.on('checkExpectation', handler)
}
