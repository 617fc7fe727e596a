import { verifyWebhook, WebhookRefusedError } from 'coffer-sdk'
import Fastify from 'fastify'

const secret = process.env.COFFER_WEBHOOK_SECRET
export const app = Fastify()

// This is a separate plugin, so that the other routes keep their JSON parser.
app.register(async (events) => {
  events.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  events.post('/coffer-events', async (request, reply) => {
    try {
      const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
      if (event.type === 'invoice.paid') console.log('paid:', event.data.invoiceID)
      return reply.code(200).send()
    } catch (error) {
      if (!(error instanceof WebhookRefusedError)) throw error
      console.warn('refused:', error.reason, error.message)
      return reply.code(400).send()
    }
  })
})
