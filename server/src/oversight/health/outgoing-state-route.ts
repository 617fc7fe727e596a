import { type Static, Type } from 'typebox'
import { type BooksCheck, readBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { type OutgoingFigures, readOutgoingFigures } from '../../outgoing/engine/controls/figures.ts'
import { haltCauses } from '../../outgoing/engine/controls/halt-store.ts'
import { outgoingTransactionStates } from '../../outgoing/engine/outgoing-transaction.ts'
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

/** Maximum number of refused transactions in the response. `coffer payouts list` on the host lists more. */
const refusedShownMax = 100

const HaltView = Type.Object(
  {
    id: idOf('the id of the halt, for "coffer signer lift"'),
    cause: oneOf(haltCauses, { title: 'HaltCause' }),
    detail: Type.String({ description: 'what was found' }),
    since: timestampOut,
  },
  { title: 'OutgoingHalt' },
)

const WaitView = Type.Object(
  {
    network: Type.String(),
    cause: boundedText('a stable word, such as capital; funds:<asset> where a hot wallet lacks that asset'),
    detail: Type.String({ description: 'the condition that it waits for' }),
    since: timestampOut,
  },
  { title: 'OutgoingWait' },
)

const RefusedView = Type.Object(
  {
    id: idOf('the id of the outgoing transaction'),
    network: Type.String(),
    kind: boundedText('the kind of transaction, such as withdrawal or sweep', 64),
    code: boundedText('the reason, such as over-limit', 64),
    detail: Type.String(),
    refusedAt: timestampOut,
    retryAt: nullable(timestampOut, {
      description: 'when it is retried; null if it waits for an operator',
    }),
  },
  { title: 'RefusedOutgoingTransaction' },
)

const OpenView = Type.Object(
  {
    network: Type.String(),
    state: oneOf(outgoingTransactionStates, { title: 'OutgoingTransactionState' }),
    count: Type.Integer({ minimum: 1 }),
    oldestSeconds: Type.Number({ description: 'when the oldest of them was planned' }),
  },
  { title: 'OpenOutgoingTransactions' },
)

const OutgoingStateView = Type.Object(
  {
    halts: Type.Array(HaltView, {
      description: 'halts: nothing new is sent until they are lifted on the host',
    }),
    waits: Type.Array(WaitView, {
      description: 'waits: some transactions are not sent yet; each wait ends automatically',
    }),
    refused: Type.Array(RefusedView, {
      description: `transactions that were refused before anything was signed, oldest first, at most ${refusedShownMax}`,
    }),
    refusedTotal: Type.Integer({ minimum: 0, description: 'their number, counted up to 1,000' }),
    open: Type.Array(OpenView, {
      description: 'the number of open transactions, by network and state',
    }),
    booksCheckedSecondsAgo: nullable(
      Type.Number({ description: 'when the books were last proven; null if never' }),
    ),
    isBooksCheckOverdue: Type.Boolean({ description: 'whether payouts wait for this proof' }),
  },
  { title: 'OutgoingState' },
)

export function outgoingStateRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'GET',
    path: '/operator/outgoing',
    operationId: 'getOutgoingState',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Read halts and waits of payouts, open transactions, and when the books were last proven',
    description:
      'Halts are lifted and refusals decided on the host, with `coffer payouts`: no request can do this.',
    replies: { 200: OutgoingStateView },
    async handle() {
      const [figures, check] = await Promise.all([readOutgoingFigures(db), readBooksCheck(db)])
      return { status: 200, body: outgoingStateView(figures, check) }
    },
  })
}

function outgoingStateView(
  { halts, waits, refused, open }: OutgoingFigures,
  { checkedSecondsAgo, isOverdue }: BooksCheck,
): Static<typeof OutgoingStateView> {
  return {
    halts: halts.map(({ since, ...halt }) => ({ ...halt, since: timestamp(since) })),
    waits: waits.map(({ since, ...wait }) => ({ ...wait, since: timestamp(since) })),
    refused: refused
      .slice(0, refusedShownMax)
      .map(({ outgoingTransactionId, refusedAt, retryAt, ...rest }) => ({
        ...rest,
        id: outgoingTransactionId,
        refusedAt: timestamp(refusedAt),
        retryAt: optionalTimestamp(retryAt),
      })),
    refusedTotal: refused.length,
    open: open.map(({ oldestS, ...group }) => ({ ...group, oldestSeconds: oldestS })),
    booksCheckedSecondsAgo: checkedSecondsAgo ?? null,
    isBooksCheckOverdue: isOverdue,
  }
}
