// Receives Coffer's events, with Node only. Start it with: COFFER_WEBHOOK_SECRET=... PORT=4000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { COFFER_WEBHOOK_SECRET: secret, PORT: port = '4000', SERVICE_NAME: service = 'Service' } = process.env
// With an empty secret, anybody could sign events.
if (!secret) throw new Error('Set COFFER_WEBHOOK_SECRET to the secret that the webhook was given.')
const bodyBytesMax = 64 * 1024
/**
 * The ids of received events. The same event may arrive more than once. A real receiver stores the ids in the database
 * of its orders, in the same transaction as the effect of the event.
 */
const taken = new Set()

async function read(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isGenuine(body, signature = '') {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function take({ type, data }) {
  if (type === 'invoice.paid') console.log(`paid: ${data.invoiceID} ${data.amount} ${data.currency}`)
  else console.log(type)
}

async function receive(request, response) {
  // The signature covers the raw bytes. JSON that was parsed and written again may have other bytes.
  const body = await read(request)
  const signature = request.headers[`x-${service}-signature`.toLowerCase()]
  if (!isGenuine(body, signature)) return response.writeHead(401).end()
  const event = JSON.parse(body)
  const isNew = !taken.has(event.id)
  // Answer only after the event is stored, because an answered event is not sent again. Do slow work afterwards.
  taken.add(event.id)
  response.writeHead(200).end()
  if (isNew) take(event)
}

const server = createServer((request, response) => {
  // An incomplete or too large body must not end the program.
  receive(request, response).catch(() => response.destroy())
})
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
