/**
 * Runs the merchants' receivers in a separate process, so that they use no time of the measured process.
 * `open-receivers.ts` controls this process over IPC.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { monotonicMs } from './monotonic-clock.ts'
import type { Order, Received, Reply } from './open-receivers.ts'

/** The receivers check one of this many requests: both signatures, computed over the received bytes. */
const sampled = 50
const key: KeyObject = createSecretKey(Buffer.from(process.argv[2] ?? '', 'utf8'))

let received = emptied()

function emptied() {
  return { count: 0, checked: 0, refused: 0, received: [] as [string, number][] }
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = monotonicMs()
  const body = await buffer(request)
  received.count += 1
  received.received.push([String(request.headers['webhook-id']), atMs])
  if (received.count % sampled === 0) {
    received.checked += 1
    if (!isGenuine(request.headers, body)) received.refused += 1
  }
  response.end()
}

function isGenuine(headers: IncomingMessage['headers'], body: Buffer): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const standard = createHmac('sha256', key).update(signed).update(body).digest('base64')
  return (
    headers['x-service-signature'] === createHmac('sha256', key).update(body).digest('hex') &&
    String(headers['webhook-signature']).split(' ').includes(`v1,${standard}`)
  )
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

async function carryOut(order: Order): Promise<Reply> {
  switch (order.type) {
    case 'open': {
      const live = Array.from({ length: order.live }, () =>
        listen((request, response) => void receive(request, response).catch(() => response.destroy())),
      )
      // These receivers accept requests and never answer.
      const dead = Array.from({ length: order.dead }, () => listen(() => {}))
      return { live: await Promise.all(live), dead: await Promise.all(dead) }
    }
    case 'count':
      return received.count
    case 'take': {
      const taken: Received = received
      received = emptied()
      return taken
    }
  }
}

process.on('message', (order: Order) => {
  void carryOut(order).then((reply) => process.send?.(reply))
})
// The process exits when its parent process is gone.
process.on('disconnect', () => process.exit())
