import { Type } from 'typebox'
import { type ChainFailure, readFailures } from '../blocks/failure-store.ts'
import { type ChainProgress, readProgress } from '../blocks/store.ts'
import { fail } from '../core/errors.ts'
import { pendingMigrations } from '../db/migrate.ts'
import type { Db } from '../db/pool.ts'
import { type Route, route } from '../http/route.ts'

/** More than this behind the node, or this long without hearing from it, and a payment made now may not be seen. */
const lagBlocksMax = 10
const silentSecondsMax = 30
/** A step that fails is tried again within seconds; a failure that outlives that keeps payments from being seen. */
const failingSecondsMax = 10

export interface ReadinessParts {
  readonly db: Db
  /** The networks that must be followed. */
  readonly networks: readonly string[]
}

/** What keeps a payment made now from being seen; empty when nothing does. */
export async function findObstacles({ db, networks }: ReadinessParts): Promise<readonly string[]> {
  const pending = await pendingMigrations(db)
  if (pending.length > 0)
    return [`the database lacks the migrations ${pending.join(', ')}: run coffer migrate`]
  const progress = new Map((await readProgress(db)).map((chain) => [chain.network, chain]))
  const failures = new Map((await readFailures(db)).map((failure) => [failure.network, failure]))
  return networks.flatMap(
    (network) => obstacleOf(network, progress.get(network), failures.get(network)) ?? [],
  )
}

/** What keeps a payment made now on one network from being seen. */
export function obstacleOf(
  network: string,
  chain: ChainProgress | undefined,
  failure: ChainFailure | undefined,
): string | undefined {
  const standing = standstillOf(network, chain)
  const isFailing =
    failure !== undefined && (standing !== undefined || failure.failingSeconds > failingSecondsMax)
  return isFailing ? tellFailure(failure) : standing
}

function standstillOf(network: string, chain: ChainProgress | undefined): string | undefined {
  if (chain === undefined) return `${network} is not followed yet`
  const lag = chain.headHeight - chain.height
  if (lag > lagBlocksMax) return `${network} is ${lag} blocks behind`
  return chain.seenSecondsAgo > silentSecondsMax ? `the node of ${network} does not answer` : undefined
}

function tellFailure({ network, height, message, failingSeconds }: ChainFailure): string {
  const where = height === undefined ? 'before its first block' : `at block ${height}`
  return `${network} has been failing ${where} for ${Math.floor(failingSeconds)} s: ${message}`
}

export function readinessRoute(parts: ReadinessParts): Route {
  return route({
    method: 'GET',
    path: '/readyz',
    auth: 'open',
    summary: 'Tell whether a payment made now would be seen',
    isCounted: false,
    replies: { 200: Type.Object({ status: Type.Literal('ready') }) },
    errors: ['not-ready', 'database-unavailable'],
    handle: async () => {
      const obstacles = await findObstacles(parts)
      if (obstacles.length > 0) throw fail('not-ready', `${obstacles.join('; ')}.`, { retryAfterS: 1 })
      return { status: 200, body: { status: 'ready' as const } }
    },
  })
}
