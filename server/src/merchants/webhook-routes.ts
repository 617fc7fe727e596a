import { Type } from 'typebox'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type Route, route } from '../http/route.ts'
import { timestamp, timestampOut } from '../http/wire.ts'
import { removeWebhook, setWebhook, type WebhookParts } from './change-webhook.ts'
import { findWebhookEndpoint } from './store.ts'

/** The contract spells the path with a double e. */
const path = '/weebhook/:merchantID'

export function webhookRoutes(parts: WebhookParts): readonly Route[] {
  return [setRoute(parts), getRoute(parts), deleteRoute(parts)]
}

function setRoute(parts: WebhookParts): Route {
  return route({
    method: 'POST',
    path,
    auth: 'bearer',
    summary: 'Create or replace the webhook',
    body: Type.Object({
      url: Type.String({ minLength: 1, maxLength: limits.webhookUrlChars }),
      secret: Type.String({ minLength: limits.webhookSecretChars, maxLength: limits.webhookSecretCharsMax }),
    }),
    replies: { 200: Type.Object({ token: Type.String() }) },
    handle: async ({ caller, merchant, body }) => {
      const owner = { accountId: caller.accountId, merchantId: merchant.id }
      return { status: 200, body: { token: await setWebhook(parts, owner, body) } }
    },
  })
}

function getRoute({ db }: WebhookParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'bearer',
    summary: 'The webhook, without its secret',
    replies: { 200: Type.Object({ url: Type.String(), createdAt: timestampOut }) },
    errors: ['not-found'],
    handle: async ({ merchant }) => {
      const endpoint = await findWebhookEndpoint(db, merchant.id)
      if (endpoint === undefined) throw fail('not-found', 'The merchant has no webhook.')
      return { status: 200, body: { url: endpoint.url, createdAt: timestamp(endpoint.createdAt) } }
    },
  })
}

function deleteRoute({ db }: WebhookParts): Route {
  return route({
    method: 'DELETE',
    path,
    auth: 'bearer',
    summary: 'Remove the webhook',
    replies: { 204: null },
    handle: async ({ caller, merchant }) => {
      await removeWebhook(db, { accountId: caller.accountId, merchantId: merchant.id })
      return { status: 204 }
    },
  })
}
