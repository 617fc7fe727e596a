import { Type } from 'typebox'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type Route, route } from '../platform/http/route.ts'
import { nullable, oneOf, optionalTimestamp, timestamp, timestampOut } from '../platform/http/wire.ts'
import { removeWebhook, setWebhook, type WebhookParts } from './change-webhook.ts'
import { disabledReasons, type WebhookEndpoint, webhookState, webhookStates } from './webhook-endpoint.ts'
import { findWebhookEndpoint } from './webhook-store.ts'

/** The specification writes the path with a double e. */
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
      revokeFormerSecret: Type.Optional(
        Type.Boolean({
          description: `Revokes the previous secret immediately. Without it, if the host stays the same, a replaced secret also signs in webhook-signature for another ${limits.formerSecretHours} hours.`,
        }),
      ),
    }),
    replies: { 200: Type.Object({ token: Type.String() }) },
    handle: async ({ caller, merchant, body }) => {
      const owner = { accountId: caller.accountId, merchantId: merchant.id }
      return { status: 200, body: { token: await setWebhook(parts, owner, body) } }
    },
  })
}

const WebhookView = Type.Object(
  {
    url: Type.String(),
    createdAt: timestampOut,
    updatedAt: { ...timestampOut, description: 'when it was last set, the same as createdAt' },
    formerSecretValidUntil: nullable(
      Type.String({
        description: 'until when the previous secret also signs; null if it does not',
        examples: ['2027-03-15T15:09:26.535Z'],
      }),
    ),
    state: oneOf(webhookStates, {
      title: 'WebhookState',
      description: 'failing: the last attempt failed; disabled: nothing is sent until it is set again',
    }),
    restUntil: nullable(
      Type.String({
        description:
          'until when nothing is sent because it answered 429 or 503 with Retry-After; null otherwise',
        examples: ['2027-03-14T16:09:26.535Z'],
      }),
    ),
    failingSince: nullable(timestampOut),
    disabledAt: nullable(timestampOut),
    disabledReason: nullable(
      oneOf(disabledReasons, {
        description: 'gone: it answered 410; failing: every attempt failed for five days',
      }),
    ),
  },
  { title: 'Webhook' },
)

function webhookView(endpoint: WebhookEndpoint) {
  return {
    url: endpoint.url,
    createdAt: timestamp(endpoint.createdAt),
    updatedAt: timestamp(endpoint.createdAt),
    formerSecretValidUntil: optionalTimestamp(endpoint.formerValidUntil),
    state: webhookState(endpoint),
    restUntil: optionalTimestamp(endpoint.restUntil),
    failingSince: optionalTimestamp(endpoint.failingSince),
    disabledAt: optionalTimestamp(endpoint.disabledAt),
    disabledReason: endpoint.disabledReason ?? null,
  }
}

function getRoute({ db }: WebhookParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'bearer',
    summary: 'Get the webhook, without its secret',
    replies: { 200: WebhookView },
    errors: ['not-found'],
    handle: async ({ merchant }) => {
      const endpoint = await findWebhookEndpoint(db, merchant.id)
      if (endpoint === undefined) throw fail('not-found', 'The merchant has no webhook.')
      return { status: 200, body: webhookView(endpoint) }
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
