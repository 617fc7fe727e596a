import { Type } from 'typebox'
import { type ChainFailure, readFailures } from '../../chains/blocks/failure-store.ts'
import { type ChainProgress, readProgress } from '../../chains/blocks/store.ts'
import { isNetworkName, networks } from '../../chains/networks.ts'
import { fail } from '../../core/errors.ts'
import { readPauses } from '../../payments/deposits/pause-store.ts'
import { pendingMigrations } from '../../platform/db/migrate.ts'
import { MigrationError } from '../../platform/db/migration.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'

/** This long without hearing from the node, or so far behind it, and a payment made now may not be seen in time. */
const silentSecondsMax = 30
const lagSecondsMax = 120
/** Of chains whose blocks are few no more than two, of others no more than ten. */
const lagBlocksRange = { min: 2, max: 10 }
/** So many times the usual space between blocks without one is no chance: the node is cut off, or its chain stands still. */
const blockSpacesMax = 30
/** A step that fails is tried again within seconds; a failure that outlives that keeps payments from being seen. */
const failingSecondsMax = 10

export interface ReadinessParts {
  readonly db: Db
  /** The networks that must be followed. */
  readonly networks: readonly string[]
  /** Whether blocks come by themselves at their pace, as on main chains; on development chains they come when told. */
  readonly isPaced: boolean
}

/** What keeps a payment made now from being seen; empty when nothing does. */
export async function findObstacles(parts: ReadinessParts): Promise<readonly string[]> {
  const { db, isPaced } = parts
  const unfit = await findUnfit(db)
  if (unfit !== undefined) return [unfit]
  const progress = new Map((await readProgress(db)).map((chain) => [chain.network, chain]))
  const failures = new Map((await readFailures(db)).map((failure) => [failure.network, failure]))
  return parts.networks.flatMap(
    (network) =>
      obstacleOf(network, { chain: progress.get(network), failure: failures.get(network), isPaced }) ?? [],
  )
}

/** How the database does not fit this process, as when a newer Coffer migrated it while the process ran. */
async function findUnfit(db: Db): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(db)
    if (pending.length === 0) return undefined
    return `the database lacks the migrations ${pending.join(', ')}: run coffer migrate`
  } catch (error) {
    if (error instanceof MigrationError) return error.message
    throw error
  }
}

/** What is wrong and yet lets payments be seen; empty when nothing is. */
export async function findRestrictions(
  parts: Pick<ReadinessParts, 'db' | 'networks'>,
): Promise<readonly string[]> {
  return (await readPauses(parts.db))
    .filter(({ network }) => parts.networks.includes(network))
    .map(
      ({ network, depth, untilHeight }) =>
        `${network} credits nothing until block ${untilHeight}, as ${depth} blocks were taken back`,
    )
}

/** How a network is followed. */
export interface Following {
  /** Undefined before its first block. */
  readonly chain: ChainProgress | undefined
  readonly failure: ChainFailure | undefined
  readonly isPaced: boolean
}

/** What keeps a payment made now on one network from being seen. */
export function obstacleOf(network: string, following: Following): string | undefined {
  const { failure } = following
  const standing = standstillOf(network, following)
  const isFailing =
    failure !== undefined && (standing !== undefined || failure.failingSeconds > failingSecondsMax)
  return isFailing ? tellFailure(failure) : standing
}

function standstillOf(network: string, { chain, isPaced }: Following): string | undefined {
  if (chain === undefined) return `${network} is not followed yet`
  const lag = chain.headHeight - chain.height
  const blockTimeS = isPaced && isNetworkName(network) ? networks[network].blockTimeMs / 1000 : undefined
  if (lag > lagBlocksMax(blockTimeS)) return `${network} is ${lag} blocks behind`
  if (chain.seenSecondsAgo > silentSecondsMax) return `the node of ${network} does not answer`
  if (blockTimeS === undefined || chain.tipSecondsAgo <= blockSpacesMax * blockTimeS) return undefined
  const minutes = Math.floor(chain.tipSecondsAgo / 60)
  return `${network} had no block for ${minutes} minutes: its node is cut off, or the chain stands still`
}

function lagBlocksMax(blockTimeS: number | undefined): number {
  const { min, max } = lagBlocksRange
  return blockTimeS === undefined ? max : Math.min(max, Math.max(min, lagSecondsMax / blockTimeS))
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
    replies: {
      200: Type.Object({
        status: Type.Literal('ready'),
        restrictions: Type.Optional(
          Type.Array(Type.String(), {
            description: 'what is wrong and yet lets payments be seen; absent where nothing is',
            examples: [['litecoin credits nothing until block 3095974, as 13 blocks were taken back']],
          }),
        ),
      }),
    },
    errors: ['not-ready', 'database-unavailable'],
    handle: async () => {
      const obstacles = await findObstacles(parts)
      if (obstacles.length > 0) throw fail('not-ready', `${obstacles.join('; ')}.`, { retryAfterS: 1 })
      const restrictions = await findRestrictions(parts)
      const restricted = restrictions.length === 0 ? {} : { restrictions: [...restrictions] }
      return { status: 200, body: { status: 'ready' as const, ...restricted } }
    },
  })
}
