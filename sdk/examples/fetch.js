import { verifyWebhook, WebhookRefusedError } from 'coffer-sdk'

export default {
  async fetch(request, env) {
    try {
      const body = await request.arrayBuffer()
      const event = await verifyWebhook({ body, headers: request.headers, secret: env.COFFER_WEBHOOK_SECRET })
      if (event.type === 'invoice.paid') console.log('paid:', event.data.invoiceID)
      return new Response(null, { status: 200 })
    } catch (error) {
      if (!(error instanceof WebhookRefusedError)) throw error
      console.warn('refused:', error.reason, error.message)
      return new Response(null, { status: 400 })
    }
  },
}
