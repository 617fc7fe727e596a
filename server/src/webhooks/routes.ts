import { Type } from 'typebox'
import type { Clock } from '../core/clock.ts'
import type { Db } from '../db/pool.ts'
import { type RateLimiter, takeOrRefuse } from '../http/rate-limiter.ts'
import { type Route, route } from '../http/route.ts'
import { page, pageOf, pageQuery, uuid } from '../http/wire.ts'
import { type FeedParts, feedRoute } from './feed-routes.ts'
import { listDeliveries } from './log-store.ts'
import { redeliver, sendTestEvent } from './send-again.ts'
import { DeliveryStateView, DeliveryView, deliveryView } from './view.ts'

export interface WebhookLogParts extends FeedParts {
  readonly db: Db
  readonly clock: Clock
  /** What merchants have sent by hand: each is up to ten requests to an address of their choice. */
  readonly sendLimiter: RateLimiter
}

export function webhookLogRoutes(parts: WebhookLogParts): readonly Route[] {
  return [deliveriesRoute(parts), redeliverRoute(parts), testRoute(parts), feedRoute(parts)]
}

function deliveriesRoute({ db }: WebhookLogParts): Route {
  return route({
    method: 'GET',
    path: '/weebhook/:merchantID/deliveries',
    auth: 'bearer',
    summary: 'List what was sent to the webhook, and how it went',
    query: Type.Object({ ...pageQuery, states: Type.Optional(Type.Array(DeliveryStateView)) }),
    replies: { 200: pageOf(DeliveryView) },
    handle: async ({ merchant, query }) => {
      const wanted = { merchantId: merchant.id, states: query.states }
      const { deliveries, total } = await listDeliveries(db, wanted, query)
      return { status: 200, body: page(deliveries.map(deliveryView), total, query) }
    },
  })
}

function redeliverRoute({ db, sendLimiter }: WebhookLogParts): Route {
  return route({
    method: 'POST',
    path: '/weebhook/:merchantID/deliveries/:deliveryID/redeliver',
    auth: 'bearer',
    idempotent: true,
    summary: 'Send an event once more, with the same id and bytes',
    replies: { 202: Type.Object({ id: uuid }) },
    errors: ['not-found', 'too-many-requests'],
    handle: async ({ merchant, params, newId: id }) => {
      await takeOrRefuse(sendLimiter, merchant.id, 'deliveries sent by hand')
      await redeliver(db, { id, merchantId: merchant.id, deliveryId: params.deliveryID })
      return { status: 202, body: { id } }
    },
  })
}

function testRoute(parts: WebhookLogParts): Route {
  return route({
    method: 'POST',
    path: '/weebhook/:merchantID/test',
    auth: 'bearer',
    summary: 'Send a webhook.test event',
    replies: { 202: Type.Object({ testID: uuid }) },
    errors: ['not-found', 'too-many-requests'],
    handle: async ({ merchant, newId: testID }) => {
      await takeOrRefuse(parts.sendLimiter, merchant.id, 'deliveries sent by hand')
      await sendTestEvent(parts, { id: testID, merchantId: merchant.id })
      return { status: 202, body: { testID } }
    },
  })
}
