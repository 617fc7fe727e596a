/**
 * A merchant's server in a process of its own, which outlives whoever sends to it: it writes down every call before it
 * answers. Some ids it refuses the first time, and some answers it delays; which ones, their ids decide.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceivedEvent } from './receiver.ts'

const file = process.env['RECEIVED_FILE'] ?? ''
const known = new Set<string>()

const server = createServer(async (request, response) => {
  request.on('error', () => {})
  response.on('error', () => {})
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    // The sender died before it had said all.
    return
  }
  const body = Buffer.concat(chunks)
  const id = String(request.headers['webhook-id'])
  const draw = createHash('sha256').update(id).digest().readUInt8()
  const status = draw < 24 && !known.has(id) ? 500 : 200
  known.add(id)
  const received: ReceivedEvent = { id, hash: createHash('sha256').update(body).digest('hex'), status }
  appendFileSync(file, `${JSON.stringify(received)}\n`)
  const delayMs = draw > 232 ? 4 * (draw - 232) : 0
  setTimeout(() => response.writeHead(status).end(), delayMs)
})
server.listen(0, '127.0.0.1', () => writeSync(1, `${(server.address() as AddressInfo).port}\n`))
