import { Type } from 'typebox'
import type { Db } from '../../platform/db/pool.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { idOf, nullable, optionalTimestamp, timestampOut } from '../../platform/http/wire.ts'
import { readBacklog } from '../../webhooks/backlog-store.ts'
import { outgoingStateRoute } from './outgoing-state-route.ts'

/** Returns the routes on which operators read which deliveries and payouts are waiting, and why. */
export function operatorStateRoutes(parts: { readonly db: Db }): readonly Route[] {
  return [webhooksRoute(parts), outgoingStateRoute(parts)]
}

const count = Type.Integer({ minimum: 0 })

const BacklogView = Type.Object(
  {
    pending: Type.Integer({ description: 'pending deliveries' }),
    due: Type.Integer({ description: 'pending deliveries that are due' }),
    oldestDueSeconds: nullable(
      Type.Number({ description: 'seconds for which the oldest due delivery has waited' }),
    ),
    merchants: Type.Array(
      Type.Object({
        id: idOf('a merchant'),
        name: Type.String(),
        pending: count,
        failingSince: nullable(timestampOut),
        disabledAt: nullable(timestampOut),
      }),
      { description: 'the merchants with the most pending deliveries, largest number first' },
    ),
  },
  { title: 'WebhookBacklog' },
)

function webhooksRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'GET',
    path: '/operator/webhooks',
    operationId: 'getWebhookBacklog',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Read the number of pending deliveries and the merchants whose webhooks fail',
    replies: { 200: BacklogView },
    async handle() {
      const { merchants, ...backlog } = await readBacklog(db)
      const shown = merchants.map(({ failingSince, disabledAt, ...merchant }) => ({
        ...merchant,
        failingSince: optionalTimestamp(failingSince),
        disabledAt: optionalTimestamp(disabledAt),
      }))
      return { status: 200, body: { ...backlog, merchants: shown } }
    },
  })
}
