/**
 * A merchant's side for tests: a merchant's rows, and a server that answers as scripted and keeps the
 * requests.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { onTestFinished } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'

export async function addMerchant(on: Queryable): Promise<string> {
  const id = newId()
  await on.query(sql`insert into merchant (id, name) values (${id}, 'A shop')`)
  return id
}

export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body as they were received. */
  readonly body: Buffer
  readonly path: string
  readonly receivedAt: number
}

export type Answer = (response: ServerResponse, call: ReceivedCall) => void

/** Returns an answer with a status and no meaningful body. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end('ok')
}

export interface MerchantServer {
  readonly url: string
  readonly port: number
  readonly calls: readonly ReceivedCall[]
  /** How many sockets were opened to it. */
  readonly connections: number
  /** Sets its answers from now on. The last one applies to all later calls. */
  answer(...answers: readonly Answer[]): void
  close(): Promise<void>
}

export async function startMerchantServer(...first: readonly Answer[]): Promise<MerchantServer> {
  const calls: ReceivedCall[] = []
  let answers: Answer[] = first.length === 0 ? [status(200)] : [...first]
  let connections = 0
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const call = await received(request)
    calls.push(call)
    const next = answers.length > 1 ? answers.shift() : answers[0]
    next?.(response, call)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    calls,
    get connections() {
      return connections
    },
    answer(...next) {
      answers = [...next]
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts a server that closes when the test ends. */
export async function openMerchantServer(...answers: readonly Answer[]): Promise<MerchantServer> {
  const server = await startMerchantServer(...answers)
  onTestFinished(() => server.close())
  return server
}

async function received(request: IncomingMessage): Promise<ReceivedCall> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { headers, url = '' } = request
  return { headers, body: Buffer.concat(chunks), path: url, receivedAt: performance.now() }
}
