import { type Static, Type } from 'typebox'
import { type BooksCheck, readBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { type PayoutFigures, readPayoutFigures } from '../../outgoing/engine/controls/figures.ts'
import { haltCauses } from '../../outgoing/engine/controls/halt-store.ts'
import { payoutStates } from '../../outgoing/engine/payout.ts'
import type { Db } from '../../platform/db/pool.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import {
  boundedText,
  idOf,
  nullable,
  oneOf,
  optionalTimestamp,
  timestamp,
  timestampOut,
} from '../../platform/http/wire.ts'

/** As many as anybody decides one by one; the command on the host lists more. */
const refusedShownMax = 100

const HaltView = Type.Object(
  {
    id: idOf('the halt, as "coffer signer lift" wants it'),
    cause: oneOf(haltCauses, { title: 'HaltCause' }),
    detail: Type.String({ description: 'what was found' }),
    since: timestampOut,
  },
  { title: 'PayoutHalt' },
)

const WaitView = Type.Object(
  {
    network: Type.String(),
    cause: boundedText('a stable word, such as capital; funds:<asset> where a hot wallet lacks that asset'),
    detail: Type.String({ description: 'what is waited for' }),
    since: timestampOut,
  },
  { title: 'PayoutWait' },
)

const RefusedView = Type.Object(
  {
    id: idOf('the payout, which is its withdrawal’s or take-out’s own'),
    network: Type.String(),
    kind: boundedText('what it is for, such as withdrawal or sweep', 64),
    code: boundedText('why, such as over-limit', 64),
    detail: Type.String(),
    refusedAt: timestampOut,
    retryAt: nullable(timestampOut, {
      description: 'when it is tried again; null where it waits for an operator',
    }),
  },
  { title: 'RefusedPayout' },
)

const OpenView = Type.Object(
  {
    network: Type.String(),
    state: oneOf(payoutStates, { title: 'PayoutStage' }),
    count: Type.Integer({ minimum: 1 }),
    oldestSeconds: Type.Number({ description: 'since when the oldest of them is planned' }),
  },
  { title: 'OpenPayouts' },
)

const PayoutStateView = Type.Object(
  {
    halts: Type.Array(HaltView, { description: 'why nothing new is sent, until it is decided on the host' }),
    waits: Type.Array(WaitView, { description: 'why something is not sent yet; each passes by itself' }),
    refused: Type.Array(RefusedView, {
      description: `what was refused before anything was signed, the oldest first, at most ${refusedShownMax}`,
    }),
    refusedTotal: Type.Integer({ minimum: 0, description: 'how many there are, counted up to 1,000' }),
    open: Type.Array(OpenView, {
      description: 'how many transactions are on their way, by network and state',
    }),
    booksCheckedSecondsAgo: nullable(
      Type.Number({ description: 'when the books were last proven; null where they never were' }),
    ),
    isBooksCheckOverdue: Type.Boolean({ description: 'whether payouts wait for that proof' }),
  },
  { title: 'PayoutState' },
)

export function payoutStateRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'GET',
    path: '/operator/payouts',
    operationId: 'getPayoutState',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Read what keeps money from leaving, what is on its way, and when the books were last proven',
    description:
      'What can be decided of it is decided on the host, by `coffer payouts`: no request lifts a halt.',
    replies: { 200: PayoutStateView },
    async handle() {
      const [figures, check] = await Promise.all([readPayoutFigures(db), readBooksCheck(db)])
      return { status: 200, body: payoutStateView(figures, check) }
    },
  })
}

function payoutStateView(
  { halts, waits, refused, open }: PayoutFigures,
  { checkedSecondsAgo, isOverdue }: BooksCheck,
): Static<typeof PayoutStateView> {
  return {
    halts: halts.map(({ since, ...halt }) => ({ ...halt, since: timestamp(since) })),
    waits: waits.map(({ since, ...wait }) => ({ ...wait, since: timestamp(since) })),
    refused: refused.slice(0, refusedShownMax).map(({ payoutId, refusedAt, retryAt, ...payout }) => ({
      ...payout,
      id: payoutId,
      refusedAt: timestamp(refusedAt),
      retryAt: optionalTimestamp(retryAt),
    })),
    refusedTotal: refused.length,
    open: open.map(({ oldestS, ...payouts }) => ({ ...payouts, oldestSeconds: oldestS })),
    booksCheckedSecondsAgo: checkedSecondsAgo ?? null,
    isBooksCheckOverdue: isOverdue,
  }
}
