// A receiver of Coffer's events on Node alone: node receiver.js <port> <secret> [<name of the service>]
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const [port = '4000', secret = '', serviceName = 'Service'] = process.argv.slice(2)
const signatureHeader = `x-${serviceName}-signature`.toLowerCase()
/** Keep them where your orders are: an event may come more than once. */
const taken = new Set()

function isGenuine(body, signature) {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(typeof signature === 'string' ? signature : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function take(event) {
  if (taken.has(event.id)) return
  taken.add(event.id)
  switch (event.type) {
    case 'invoice.paid':
      return console.log(`paid: ${event.data.invoiceID} ${event.data.amount} ${event.data.currency}`)
    default:
      return console.log(`${event.type}`)
  }
}

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  // The bytes as they came: parsed and written again they would no longer fit the signature.
  const body = Buffer.concat(chunks)
  if (!isGenuine(body, request.headers[signatureHeader])) return response.writeHead(401).end()
  // Answer at once; what takes long is done afterwards.
  response.writeHead(200).end()
  take(JSON.parse(body))
}).listen(Number(port), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`)
})
