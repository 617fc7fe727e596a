/**
 * Decides whether a payment made now would be detected. The result is shown by the route `/readyz` and by the
 * operators' route of `node-routes.ts`.
 */
import { Type } from 'typebox'
import { type ChainFailure, readFailures } from '../../chains/blocks/failure-store.ts'
import { type ChainProgress, readLateNetworks, readProgress } from '../../chains/blocks/store.ts'
import { networkOf } from '../../chains/networks.ts'
import { fail } from '../../core/errors.ts'
import { readPauses } from '../../payments/deposits/pause-store.ts'
import { pendingMigrations } from '../../platform/db/migrate.ts'
import { MigrationError } from '../../platform/db/migration.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'

/**
 * If one of these limits is exceeded, a payment made now may be detected too late. The first is the number of
 * seconds since the watcher last stored an answer of the node, the second the number of seconds that the books
 * are behind the node.
 */
const silentSecondsMax = 30
const lagSecondsMax = 120
/**
 * The allowed lag in blocks is `lagSecondsMax` divided by the usual block time, but at least `min`. It is
 * `unpaced` on chains that mine on request.
 */
const lagBlocks = { min: 2, unpaced: 10 }
/**
 * Maximum time without a block, as a multiple of the usual block time, and at least `quietSecondsMin`. A longer
 * gap does not happen by chance: the node is disconnected, or its chain has stopped.
 */
const blockSpacesMax = 30
const quietSecondsMin = 120
/**
 * Errors that last longer than this prevent the detection of payments. After a shorter error, the watcher has
 * already tried again with success.
 */
const failingSecondsMax = 10

export interface ReadinessParts {
  readonly db: Db
  /** The networks that must be followed. */
  readonly networks: readonly string[]
  /**
   * Whether blocks arrive at a steady pace, as on public chains. Development chains mine a block only on
   * request.
   */
  readonly isPaced: boolean
}

/** Returns the reasons why a payment made now would not be detected; empty if there are none. */
export async function findObstacles(parts: ReadinessParts): Promise<readonly string[]> {
  const unfit = await findUnfit(parts.db)
  return unfit === undefined ? findStandstills(parts) : [unfit]
}

/** Returns the reason of each network on which a payment made now would not be detected. */
async function findStandstills(parts: ReadinessParts): Promise<readonly string[]> {
  const { db, isPaced } = parts
  const progress = new Map((await readProgress(db)).map((chain) => [chain.network, chain]))
  const failures = new Map((await readFailures(db)).map((failure) => [failure.network, failure]))
  return parts.networks.flatMap(
    (network) =>
      obstacleOf(network, { chain: progress.get(network), failure: failures.get(network), isPaced }) ?? [],
  )
}

/**
 * Returns the reason why the tables of the database do not fit this process, or undefined. For example, a
 * newer Coffer may have migrated the database while this process ran.
 */
async function findUnfit(db: Db): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(db)
    if (pending.length === 0) return undefined
    return `the database lacks the migrations ${pending.join(', ')}: run "coffer migrate"`
  } catch (error) {
    if (error instanceof MigrationError) return error.message
    throw error
  }
}

/**
 * Returns problems that do not prevent the detection of payments, such as paused credits; empty if there are
 * none.
 */
export async function findRestrictions(
  parts: Pick<ReadinessParts, 'db' | 'networks'>,
): Promise<readonly string[]> {
  const paused = (await readPauses(parts.db))
    .filter(({ network }) => parts.networks.includes(network))
    .map(
      ({ network, depth, untilHeight }) =>
        `deposits on ${network} are paused until block ${untilHeight}, because ${depth} blocks were replaced`,
    )
  const late = await readLateNetworks(parts.db, parts.networks)
  return [
    ...paused,
    ...[...late].map(
      (network) =>
        `coin that contracts send on ${network} is found late, by comparing balances: its nodes report no call traces`,
    ),
  ]
}

/** The watcher's progress and last failure on a network, as stored in the database. */
export interface Following {
  /** Undefined before the first block of the network is booked. */
  readonly chain: ChainProgress | undefined
  readonly failure: ChainFailure | undefined
  readonly isPaced: boolean
}

/**
 * Returns the reason why a payment made now on one network would not be detected, or undefined if there is
 * none.
 */
export function obstacleOf(network: string, following: Following): string | undefined {
  const { failure } = following
  const standstill = standstillOf(network, following)
  const isFailing =
    failure !== undefined && (standstill !== undefined || failure.failingSeconds > failingSecondsMax)
  return isFailing ? describeFailure(failure) : standstill
}

function standstillOf(network: string, { chain, isPaced }: Following): string | undefined {
  if (chain === undefined) return `${network} is not followed yet`
  const lag = chain.headHeight - chain.height
  const blockTimeMs = isPaced ? networkOf(network)?.blockTimeMs : undefined
  const blockTimeS = blockTimeMs && blockTimeMs / 1000
  if (lag > lagBlocksMax(blockTimeS)) return `${network} is ${lag} blocks behind`
  if (chain.seenSecondsAgo > silentSecondsMax) {
    const seconds = Math.floor(chain.seenSecondsAgo)
    return `${network} has not been read for ${seconds} s: its node does not answer, or the watcher is busy or stopped`
  }
  if (blockTimeS === undefined) return undefined
  if (chain.tipSecondsAgo <= Math.max(blockSpacesMax * blockTimeS, quietSecondsMin)) return undefined
  const minutes = Math.floor(chain.tipSecondsAgo / 60)
  return `${network} had no block for ${minutes} minutes: its node is disconnected, or the chain has stopped`
}

function lagBlocksMax(blockTimeS: number | undefined): number {
  const { min, unpaced } = lagBlocks
  return blockTimeS === undefined ? unpaced : Math.max(min, lagSecondsMax / blockTimeS)
}

function describeFailure({ network, height, message, failingSeconds }: ChainFailure): string {
  const where = height === undefined ? 'before its first block' : `at block ${height}`
  return `${network} has been failing ${where} for ${Math.floor(failingSeconds)} s: ${message}`
}

/** @param networks returns the followed networks, to which an operator can add more while the process runs */
export function readinessRoute({
  networks,
  ...rest
}: Omit<ReadinessParts, 'networks'> & { networks(): readonly string[] }): Route {
  return route({
    method: 'GET',
    path: '/readyz',
    auth: 'open',
    summary: 'Check whether a payment made now would be detected, on at least one network',
    isCounted: false,
    replies: {
      200: Type.Object({
        status: Type.Literal('ready'),
        restrictions: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'networks on which a payment made now would not be detected, and other problems; absent if there are none',
            examples: [
              ['deposits on litecoin are paused until block 3095974, because 13 blocks were replaced'],
            ],
          }),
        ),
      }),
    },
    errors: ['not-ready', 'database-unavailable'],
    handle: async () => {
      const parts = { ...rest, networks: networks() }
      const unfit = await findUnfit(parts.db)
      const standstills = unfit === undefined ? await findStandstills(parts) : [unfit]
      // A process that can take payments on other networks stays in use. A load balancer would otherwise stop
      // all networks because the nodes of one do not answer.
      if (unfit !== undefined || standstills.length === parts.networks.length)
        throw fail('not-ready', `${standstills.join('; ')}.`, { retryAfterS: 1 })
      const restrictions = [...standstills, ...(await findRestrictions(parts))]
      const restricted = restrictions.length === 0 ? {} : { restrictions: [...restrictions] }
      return { status: 200, body: { status: 'ready' as const, ...restricted } }
    },
  })
}
