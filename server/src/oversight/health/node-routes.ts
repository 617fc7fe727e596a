import { Type } from 'typebox'
import { readFailures } from '../../chains/blocks/failure-store.ts'
import { readProgress } from '../../chains/blocks/store.ts'
import { type DepositPause, readPauses } from '../../payments/deposits/pause-store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { nullable, timestamp, timestampOut } from '../../platform/http/wire.ts'
import { type Following, obstacleOf } from './readiness.ts'

const NodeView = Type.Object(
  {
    network: Type.String(),
    ready: Type.Boolean({ description: 'whether a payment made now would be seen' }),
    obstacle: nullable(Type.String({ description: 'why not, for people' })),
    height: nullable(Type.Integer({ description: 'the last block that is booked' })),
    headHeight: nullable(Type.Integer({ description: 'the last block that the node had' })),
    lagBlocks: nullable(Type.Integer()),
    heardSecondsAgo: nullable(Type.Number()),
    blockSecondsAgo: nullable(
      Type.Number({ description: 'how old the last booked block is, by the time it states' }),
    ),
    failure: nullable(
      Type.Object({
        height: nullable(Type.Integer()),
        message: Type.String(),
        failingSeconds: Type.Number(),
      }),
    ),
    depositsPaused: nullable(
      Type.Object(
        { depth: Type.Integer(), since: timestampOut, untilHeight: Type.Integer() },
        { description: 'while nothing is credited, as so many blocks were taken back' },
      ),
    ),
  },
  { title: 'ChainState' },
)

export interface NodeRouteParts {
  readonly db: Db
  readonly chains: readonly { readonly network: string }[]
  /** As readiness takes it. */
  readonly isPaced: boolean
}

/** For operators: how each chain is followed. */
export function nodeRoutes({ db, chains, isPaced }: NodeRouteParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/operator/nodes',
      auth: 'bearer',
      permit: permitOperator,
      operationId: 'listNodes',
      summary: 'Read how each chain is followed: its lag, and what stops it',
      replies: { 200: Type.Object({ nodes: Type.Array(NodeView) }) },
      handle: async () => {
        const [progress, failures, pauses] = await Promise.all([
          readProgress(db),
          readFailures(db),
          readPauses(db),
        ])
        const nodes = chains.map(({ network }) =>
          nodeView(
            network,
            {
              chain: progress.find((one) => one.network === network),
              failure: failures.find((one) => one.network === network),
              isPaced,
            },
            pauses.find((one) => one.network === network),
          ),
        )
        return { status: 200, body: { nodes } }
      },
    }),
  ]
}

function nodeView(network: string, following: Following, pause: DepositPause | undefined) {
  const { chain, failure } = following
  const obstacle = obstacleOf(network, following)
  return {
    network,
    ready: obstacle === undefined,
    obstacle: obstacle ?? null,
    height: chain?.height ?? null,
    headHeight: chain?.headHeight ?? null,
    lagBlocks: chain === undefined ? null : Math.max(0, chain.headHeight - chain.height),
    heardSecondsAgo: chain === undefined ? null : Math.round(chain.seenSecondsAgo * 10) / 10,
    blockSecondsAgo: chain === undefined ? null : Math.round(chain.tipSecondsAgo * 10) / 10,
    failure:
      failure === undefined
        ? null
        : {
            height: failure.height ?? null,
            message: failure.message,
            failingSeconds: Math.floor(failure.failingSeconds),
          },
    depositsPaused:
      pause === undefined
        ? null
        : { depth: pause.depth, since: timestamp(pause.pausedAt), untilHeight: pause.untilHeight },
  }
}
