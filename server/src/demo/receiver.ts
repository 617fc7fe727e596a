/** The merchant's side of webhooks: a small server that believes nothing it cannot verify. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../core/clock.ts'
import { isJson, type Json, textOf } from './client.ts'

/** An event whose signature was right. */
export interface ReceivedEvent {
  readonly type: string
  readonly data: Json
  readonly bytes: number
  /** `performance.now()` when it came. */
  readonly receivedAt: number
}

export interface Receiver {
  readonly url: string
  /**
   * The first verified event of a type, of an invoice where one is named, waited for; rejects, saying what came instead,
   * after `patienceMs`.
   */
  next(type: string, patienceMs: number, invoiceId?: string): Promise<ReceivedEvent>
  close(): Promise<void>
}

export interface ReceiverParts {
  readonly secret: string
  /** The header that carries the signature, in lower case. */
  readonly signatureHeader: string
  readonly signal: AbortSignal
}

const pollMs = 20

/** Listens on a free port of 127.0.0.1. */
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

/** Over the bytes as they came, compared in constant time (spec, Events). */
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
  const came = events.length === 0 ? 'nothing came' : `came: ${events.map((event) => event.type).join(', ')}`
  const wrong = refused === 0 ? '' : `; ${refused} refused, with a wrong signature or body`
  return `no ${type} came to the webhook within ${patienceMs / 1000} s (${came}${wrong})`
}
