/**
 * A merchant's server in a process of its own, which outlives the dispatchers that send to it. It writes each
 * received event to a file: some events at once, and others only just before the answer, so that they are
 * lost if the sender has ended by then. It refuses some ids the first time. The id of an event determines all
 * of this, and the delay of the answer.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceivedEvent } from './receiver.ts'

const file = process.env['RECEIVED_FILE'] ?? ''
const known = new Set<string>()
/** The number of unanswered calls by sender, as named in the User-Agent. */
const open = new Map<string, number>()

const server = createServer((request, response) => {
  request.on('error', () => {})
  response.on('error', () => {})
  if (request.method === 'GET') response.end(JSON.stringify(Object.fromEntries(open)))
  // A request breaks off when its sender died before the body was complete.
  else take(request, response).catch(() => {})
})

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sender = String(request.headers['user-agent'])
  count(sender, 1)
  let isGone = false
  response.once('close', () => {
    isGone = true
    count(sender, -1)
  })
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const hash = createHash('sha256').update(Buffer.concat(chunks)).digest('hex')
  const id = String(request.headers['webhook-id'])
  const draws = createHash('sha256').update(id).digest()
  const status = draws.readUInt8(0) < 24 && !known.has(id) ? 500 : 200
  const keep = () => {
    known.add(id)
    const received: ReceivedEvent = { id, hash, status }
    appendFileSync(file, `${JSON.stringify(received)}\n`)
  }
  const isKeptAtOnce = draws.readUInt8(1) < 128
  if (isKeptAtOnce) keep()
  setTimeout(
    () => {
      if (isGone) return
      if (!isKeptAtOnce) keep()
      response.writeHead(status).end()
    },
    20 + draws.readUInt8(2) / 2,
  )
}

function count(sender: string, more: 1 | -1): void {
  open.set(sender, (open.get(sender) ?? 0) + more)
}

server.listen(0, '127.0.0.1', () => writeSync(1, `${(server.address() as AddressInfo).port}\n`))
