/**
 * A merchant's server in a process of its own, which outlives whoever sends to it. What it was told it writes down
 * before it answers: some as it comes, and some only just before the answer, so that it knows nothing of it where the
 * sender has gone by then. Some ids it refuses the first time. Which ones, and how long it takes, their ids decide.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceivedEvent } from './receiver.ts'

const file = process.env['RECEIVED_FILE'] ?? ''
const known = new Set<string>()
/** Calls that are not answered yet, by the name of who sends. */
const open = new Map<string, number>()

const server = createServer((request, response) => {
  request.on('error', () => {})
  response.on('error', () => {})
  if (request.method === 'GET') response.end(JSON.stringify(Object.fromEntries(open)))
  // One that breaks off died before it had said all.
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
