import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook, WebhookRefusedError } from 'coffer-sdk'

const secret = process.env.COFFER_WEBHOOK_SECRET

export const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook({ body: await buffer(request), headers: request.headers, secret })
    if (event.type === 'invoice.paid') console.log('paid:', event.data.invoiceID)
    response.writeHead(200).end()
  } catch (error) {
    const isRefused = error instanceof WebhookRefusedError
    console.warn(isRefused ? `refused: ${error.reason} ${error.message}` : error)
    response.writeHead(isRefused ? 400 : 500).end()
  }
})
