import { Type } from 'typebox'
import type { Db } from '../../platform/db/pool.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { idOf, nullable, optionalTimestamp, timestampOut } from '../../platform/http/wire.ts'
import { readBacklog } from '../../webhooks/backlog-store.ts'
import { payoutStateRoute } from './payout-state-route.ts'

/** For operators: what waits, and why. */
export function operatorStateRoutes(parts: { readonly db: Db }): readonly Route[] {
  return [webhooksRoute(parts), payoutStateRoute(parts)]
}

const count = Type.Integer({ minimum: 0 })

const BacklogView = Type.Object(
  {
    pending: Type.Integer({ description: 'deliveries that are still to be made' }),
    due: Type.Integer({ description: 'those of them whose time has come' }),
    oldestDueSeconds: nullable(Type.Number({ description: 'for how long the oldest of these has waited' })),
    merchants: Type.Array(
      Type.Object({
        id: idOf('a merchant'),
        name: Type.String(),
        pending: count,
        failingSince: nullable(timestampOut),
        disabledAt: nullable(timestampOut),
      }),
      { description: 'those with the most deliveries to be made, the largest number first' },
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
    summary: 'Read how many deliveries wait, and whose webhooks fail',
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
