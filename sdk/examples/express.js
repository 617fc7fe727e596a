import { verifyWebhook, WebhookRefusedError } from 'coffer-sdk'
import express from 'express'

const secret = process.env.COFFER_WEBHOOK_SECRET
export const app = express()

// Use express.raw and not express.json, because the signature covers the raw bytes.
app.post('/coffer-events', express.raw({ type: '*/*' }), async (request, response) => {
  try {
    const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
    if (event.type === 'invoice.paid') console.log('paid:', event.data.invoiceID)
    response.sendStatus(200)
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) throw error
    console.warn('refused:', error.reason, error.message)
    response.sendStatus(400)
  }
})
