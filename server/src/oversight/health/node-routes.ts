import { Type } from 'typebox'
import { readFailures } from '../../chains/blocks/failure-store.ts'
import { readLateNetworks, readProgress } from '../../chains/blocks/store.ts'
import { type DepositPause, readPauses } from '../../payments/deposits/pause-store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { nullable, oneOf, timestamp, timestampOut } from '../../platform/http/wire.ts'
import { type Following, obstacleOf } from './readiness.ts'

const NodeView = Type.Object(
  {
    network: Type.String(),
    ready: Type.Boolean({ description: 'whether a payment made now would be detected' }),
    obstacle: nullable(Type.String({ description: 'the reason if not, as text for people' })),
    height: nullable(Type.Integer({ description: 'the last booked block' })),
    headHeight: nullable(Type.Integer({ description: 'the last known block of the node' })),
    lagBlocks: nullable(Type.Integer()),
    heardSecondsAgo: nullable(Type.Number()),
    blockSecondsAgo: nullable(
      Type.Number({ description: 'the age of the last booked block, by its own timestamp' }),
    ),
    failure: nullable(
      Type.Object({
        height: nullable(Type.Integer()),
        message: Type.String(),
        failingSeconds: Type.Number(),
      }),
    ),
    internalTransfers: oneOf(['immediate', 'late'], {
      title: 'ChainInternalTransfers',
      description:
        '`late` if the nodes report no call traces, so that coin that contracts send is found by comparing balances',
    }),
    depositsPaused: nullable(
      Type.Object(
        { depth: Type.Integer(), since: timestampOut, untilHeight: Type.Integer() },
        {
          description:
            'set while deposits are paused after a deep reorganisation; depth is the number of replaced blocks',
        },
      ),
    ),
  },
  { title: 'ChainState' },
)

export interface NodeRouteParts {
  readonly db: Db
  readonly chains: readonly { readonly network: string }[]
  /** Whether blocks arrive at a steady pace, as on public chains. Development chains mine only on request. */
  readonly isPaced: boolean
}

/** Returns the route on which operators read the watcher's progress on each chain, and its problems. */
export function nodeRoutes({ db, chains, isPaced }: NodeRouteParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/operator/nodes',
      auth: 'bearer',
      permit: permitOperator,
      operationId: 'listNodes',
      summary: 'Read how each chain is followed: its lag and its problems',
      replies: { 200: Type.Object({ nodes: Type.Array(NodeView) }) },
      handle: async () => {
        const names = chains.map(({ network }) => network)
        const [late, progress, failures, pauses] = await Promise.all([
          readLateNetworks(db, names),
          readProgress(db),
          readFailures(db),
          readPauses(db),
        ])
        const nodes = chains.map(({ network }) => ({
          ...nodeView(
            network,
            {
              chain: progress.find((one) => one.network === network),
              failure: failures.find((one) => one.network === network),
              isPaced,
            },
            pauses.find((one) => one.network === network),
          ),
          internalTransfers: late.has(network) ? ('late' as const) : ('immediate' as const),
        }))
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
