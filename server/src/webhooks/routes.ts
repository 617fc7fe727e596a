import { Type } from 'typebox'
import type { Clock } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { type RateLimiter, takeOrRefuse } from '../platform/http/limits/rate-limiter.ts'
import { type Route, route } from '../platform/http/route.ts'
import { page, pageOf, pageQuery, uuid } from '../platform/http/wire.ts'
import { type FeedParts, feedRoute } from './feed/routes.ts'
import { findDelivery, listDeliveries } from './log-store.ts'
import { replay } from './replay/replay.ts'
import { redeliver, sendTestEvent } from './replay/send-again.ts'
import {
  DeliveryRecordView,
  DeliveryStateView,
  DeliveryView,
  deliveryRecordView,
  deliveryView,
  ReplayBody,
  ReplayView,
} from './view.ts'

export interface WebhookLogParts extends FeedParts {
  readonly db: Db
  readonly clock: Clock
  /**
   * Limits deliveries that a merchant requests, because each makes up to ten HTTP requests to an address that
   * the merchant chooses.
   */
  readonly sendLimiter: RateLimiter
  /** Limits replays, because one replay can add thousands of deliveries. */
  readonly replayLimiter: RateLimiter
}

export function webhookLogRoutes(parts: WebhookLogParts): readonly Route[] {
  return [
    deliveriesRoute(parts),
    deliveryRoute(parts),
    redeliverRoute(parts),
    replayRoute(parts),
    testRoute(parts),
    feedRoute(parts),
  ]
}

function deliveriesRoute({ db }: WebhookLogParts): Route {
  return route({
    method: 'GET',
    path: '/weebhook/:merchantID/deliveries',
    auth: 'bearer',
    summary: 'List the deliveries to the webhook, with their results',
    query: Type.Object({ ...pageQuery, states: Type.Optional(Type.Array(DeliveryStateView)) }),
    replies: { 200: pageOf(DeliveryView) },
    handle: async ({ merchant, query }) => {
      const wanted = { merchantId: merchant.id, states: query.states }
      const { deliveries, total } = await listDeliveries(db, wanted, query)
      return { status: 200, body: page(deliveries.map(deliveryView), total, query) }
    },
  })
}

function deliveryRoute({ db }: WebhookLogParts): Route {
  return route({
    method: 'GET',
    path: '/weebhook/:merchantID/deliveries/:deliveryID',
    auth: 'bearer',
    summary: 'Get a delivery with its body and each attempt',
    replies: { 200: DeliveryRecordView },
    handle: async ({ merchant, params }) => {
      const record = await findDelivery(db, merchant.id, params.deliveryID)
      if (record === undefined) throw fail('not-found', 'No such delivery.')
      return { status: 200, body: deliveryRecordView(record) }
    },
  })
}

function redeliverRoute({ db, sendLimiter }: WebhookLogParts): Route {
  return route({
    method: 'POST',
    path: '/weebhook/:merchantID/deliveries/:deliveryID/redeliver',
    auth: 'bearer',
    idempotent: true,
    summary: 'Send an event again, with the same id and bytes',
    replies: { 202: Type.Object({ id: uuid }) },
    errors: ['not-found', 'webhook-disabled', 'too-many-requests'],
    handle: async ({ merchant, params, newId: id }) => {
      await takeOrRefuse(sendLimiter, merchant.id, 'manual deliveries')
      await redeliver(db, { id, merchantId: merchant.id, deliveryId: params.deliveryID })
      return { status: 202, body: { id } }
    },
  })
}

const replayDescription = `Queues events again, with the same ids and bytes, in the order of their \`sequence\`. One call queues at most ${limits.replayedAtOnce} of them: if \`next\` is not null, call again with it as \`after\`. Rejected with 429 while ${limits.replayBacklog} deliveries or more are still to be sent. A repeated request with the same \`Idempotency-Key\` queues nothing again.`

function replayRoute({ db, replayLimiter }: WebhookLogParts): Route {
  return route({
    method: 'POST',
    path: '/weebhook/:merchantID/replay',
    auth: 'bearer',
    idempotent: true,
    operationId: 'replayEvents',
    summary: 'Send events again, starting after a sequence',
    description: replayDescription,
    body: ReplayBody,
    replies: { 202: ReplayView },
    errors: ['not-found', 'webhook-disabled', 'too-many-requests'],
    handle: async ({ merchant, body: { after, toSequence }, newId: id }) => {
      await takeOrRefuse(replayLimiter, merchant.id, 'replays')
      return { status: 202, body: await replay(db, { id, merchantId: merchant.id, after, toSequence }) }
    },
  })
}

function testRoute(parts: WebhookLogParts): Route {
  return route({
    method: 'POST',
    path: '/weebhook/:merchantID/test',
    auth: 'bearer',
    idempotent: true,
    summary: 'Send a webhook.test event',
    replies: { 202: Type.Object({ testID: uuid }) },
    errors: ['not-found', 'webhook-disabled', 'too-many-requests'],
    handle: async ({ merchant, newId: testID }) => {
      await takeOrRefuse(parts.sendLimiter, merchant.id, 'manual deliveries')
      await sendTestEvent(parts, { id: testID, merchantId: merchant.id })
      return { status: 202, body: { testID } }
    },
  })
}
