import { Type } from 'typebox'
import type { Db } from '../db/pool.ts'
import { permitOperator } from '../http/auth.ts'
import { type Route, route } from '../http/route.ts'
import { boundedText, idOf, nullable, optionalTimestamp, timestamp, timestampOut } from '../http/wire.ts'
import { readBacklog } from '../outbox/backlog-store.ts'
import { readBooksCheck } from '../payouts/books-check-store.ts'
import { readPayoutFigures } from '../payouts/figures.ts'

/** For operators: what waits, and why. */
export function operatorStateRoutes(parts: { readonly db: Db }): readonly Route[] {
  return [webhooksRoute(parts), payoutsRoute(parts)]
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

const PayoutStateView = Type.Object(
  {
    halts: Type.Array(
      Type.Object({ cause: boundedText('why', 64), detail: Type.String(), since: timestampOut }),
      { description: 'reasons why nothing is sent, until an operator lifts them' },
    ),
    booksCheckedSecondsAgo: nullable(
      Type.Number({ description: 'when the books were last proven; null where they never were' }),
    ),
    isBooksCheckOverdue: Type.Boolean({ description: 'whether payouts wait for that proof' }),
  },
  { title: 'PayoutState' },
)

function payoutsRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'GET',
    path: '/operator/payouts',
    operationId: 'getPayoutState',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Read what stops payouts, and when the books were last proven',
    replies: { 200: PayoutStateView },
    async handle() {
      const [{ halts }, check] = await Promise.all([readPayoutFigures(db), readBooksCheck(db)])
      const { checkedSecondsAgo, isOverdue } = check
      const body = {
        halts: halts.map(({ cause, detail, since }) => ({ cause, detail, since: timestamp(since) })),
        booksCheckedSecondsAgo: checkedSecondsAgo ?? null,
        isBooksCheckOverdue: isOverdue,
      }
      return { status: 200, body }
    },
  })
}
