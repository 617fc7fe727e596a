// A receiver of Coffer's events on Node alone: COFFER_WEBHOOK_SECRET=... PORT=4000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { COFFER_WEBHOOK_SECRET: secret, PORT: port = '4000', SERVICE_NAME: service = 'Service' } = process.env
// With an empty secret anybody could sign.
if (!secret) throw new Error('Set COFFER_WEBHOOK_SECRET to the secret that the webhook was given.')
const bodyBytesMax = 64 * 1024
/** The ids of events: one may come more than once. Keep them where your orders are, in the same transaction. */
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
  // The bytes as they came: parsed and written again they would no longer fit the signature.
  const body = await read(request)
  const signature = request.headers[`x-${service}-signature`.toLowerCase()]
  if (!isGenuine(body, signature)) return response.writeHead(401).end()
  const event = JSON.parse(body)
  const isNew = !taken.has(event.id)
  // Answer once it is kept: an event that was answered and lost is not sent again. What takes long is done afterwards.
  taken.add(event.id)
  response.writeHead(200).end()
  if (isNew) take(event)
}

const server = createServer((request, response) => {
  // A body that breaks off or is too large must not end the program.
  receive(request, response).catch(() => response.destroy())
})
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
