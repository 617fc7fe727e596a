/** The merchant's side of webhooks: a small server that accepts only events with a valid signature. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../core/clock.ts'
import { isJson, type Json, textOf } from './client.ts'

/** An event whose signature was valid. */
export interface ReceivedEvent {
  readonly type: string
  readonly data: Json
  readonly bytes: number
  /** The value of `performance.now()` when the event was received. */
  readonly receivedAt: number
}

export interface Receiver {
  readonly url: string
  /**
   * Waits for the first verified event of a type, and about an invoice if `invoiceId` is given. After
   * `patienceMs`, rejects with an error that lists the types of all received events.
   */
  next(type: string, patienceMs: number, invoiceId?: string): Promise<ReceivedEvent>
  close(): Promise<void>
}

export interface ReceiverParts {
  readonly secret: string
  /** The name of the header that contains the signature, in lower case. */
  readonly signatureHeader: string
  readonly signal: AbortSignal
}

const pollMs = 20

/** Opens a receiver on a free port of 127.0.0.1. */
export async function openReceiver({ secret, signatureHeader, signal }: ReceiverParts): Promise<Receiver> {
  const events: ReceivedEvent[] = []
  let refused = 0
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => Buffer.alloc(0))
    const event = isSigned(body, secret, request.headers[signatureHeader]) ? toEvent(body) : undefined
    if (event === undefined) refused += 1
    else events.push(event)
    response.writeHead(event === undefined ? 401 : 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async next(type, patienceMs, invoiceId) {
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        signal.throwIfAborted()
        const found = events.find(
          (event) =>
            event.type === type && (invoiceId === undefined || event.data['invoiceID'] === invoiceId),
        )
        if (found !== undefined) return found
        if (performance.now() > giveUpAt) throw new Error(missing(type, patienceMs, events, refused))
        await systemClock.sleep(pollMs, signal)
      }
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Returns true if `signature` is the HMAC-SHA256 of the received bytes, in hex. Compares in constant time
 * (specification, Events).
 */
export function isSigned(
  body: Uint8Array,
  secret: string,
  signature: string | readonly string[] | undefined,
): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false
  const expected = createHmac('sha256', secret).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

function toEvent(body: Buffer): ReceivedEvent | undefined {
  const envelope = parse(body)
  if (!isJson(envelope) || !isJson(envelope['data'])) return undefined
  const data = envelope['data']
  return { type: textOf(envelope, 'type'), data, bytes: body.length, receivedAt: performance.now() }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function missing(
  type: string,
  patienceMs: number,
  events: readonly ReceivedEvent[],
  refused: number,
): string {
  const came =
    events.length === 0 ? 'no events received' : `received: ${events.map((event) => event.type).join(', ')}`
  const wrong = refused === 0 ? '' : `; ${refused} rejected: wrong signature or body`
  return `the webhook did not receive ${type} within ${patienceMs / 1000} s (${came}${wrong})`
}
