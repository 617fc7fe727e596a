import type { NetworkName } from '../../chains/networks.ts'
import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { readLanes } from '../../outgoing/treasury/lane-store.ts'
import { saveCapitalSource } from '../../payments/deposits/unattributed/attribution-store.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { fundLitecoinWallets, readOperatorsAddress } from '../../sandbox/fund-litecoin.ts'
import { findFunder, fundWallets } from '../../sandbox/fund-wallets.ts'

export interface FundLanesParts {
  readonly db: Db
  readonly network: NetworkName
  /** Of the dev chain. */
  readonly nodeUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const idleMs = 1_000

/** How the operator's money is given on a dev chain. */
interface Funding {
  /** Whose money it is; undefined where nobody has any. */
  findFunder(nodeUrl: string, signal: AbortSignal): Promise<string | undefined>
  /** @returns how many wallets were given some, as they never had any */
  fund(nodeUrl: string, funder: string, wallets: readonly string[], signal: AbortSignal): Promise<number>
}

const onEvm: Funding = { findFunder, fund: fundWallets }
const onLitecoin: Funding = {
  findFunder: readOperatorsAddress,
  fund: (nodeUrl, _, wallets, signal) => fundLitecoinWallets(nodeUrl, wallets, signal),
}

/**
 * In the sandbox: gives each hot lane that never had any money some to begin with. It comes in like any transfer from
 * outside, and is the operator's own because its sender is known as a source of capital; so nothing is booked here, and
 * nothing is lost or booked twice wherever this is cut off.
 */
export function keepLanesFunded(parts: FundLanesParts): Promise<void> {
  const { db, network, clock, log, signal } = parts
  const lease = { db, name: `fund lanes ${network}`, ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(fundLanesWorker(parts), { clock, log, signal: held }))
}

export function fundLanesWorker({
  db,
  network,
  nodeUrl,
  log,
}: Omit<FundLanesParts, 'signal' | 'clock'>): Worker {
  const seen = new Set<string>()
  return {
    name: `fund lanes of ${network}`,
    idleMs,
    takeAndDo: async (signal) => {
      const lanes = (await readLanes(db, network)).map(({ address }) => address)
      const fresh = lanes.filter((address) => !seen.has(address))
      if (fresh.length === 0) return 0
      const { findFunder, fund } = network === 'ethereum' ? onEvm : onLitecoin
      const funder = await findFunder(nodeUrl, signal)
      if (funder === undefined) {
        log.warn({ network }, 'the dev chain has no unlocked account, so the hot lanes get no money')
      } else {
        await saveCapitalSource(db, network, funder)
        const funded = await fund(nodeUrl, funder, fresh, signal)
        log.info({ network, funded }, 'hot lanes have what they need to begin')
      }
      for (const address of fresh) seen.add(address)
      return 0
    },
  }
}
