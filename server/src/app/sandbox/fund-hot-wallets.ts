import { type NetworkName, networkOf } from '../../chains/networks.ts'
import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { readHotWallets } from '../../outgoing/treasury/hot-wallet-store.ts'
import { saveCapitalSource } from '../../payments/deposits/unattributed/attribution-store.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { fundLitecoinWallets, readOperatorsAddress } from '../../sandbox/fund-litecoin.ts'
import { findFunder, fundWallets } from '../../sandbox/fund-wallets.ts'

export interface DevNode {
  readonly network: NetworkName
  /** The URL of the dev chain's node. */
  readonly nodeUrl: string
}

export interface FundHotWalletsParts extends DevNode {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const idleMs = 1_000

/** The functions that send the operator's money on a dev chain. */
interface Funding {
  /**
   * Returns the address of the operator's account on the node, from which the hot wallets are funded. Returns
   * undefined if the node has no account.
   */
  findFunder(nodeUrl: string, signal: AbortSignal): Promise<string | undefined>
  /** Sends money to those wallets that never had any, and returns how many wallets were funded. */
  fund(nodeUrl: string, funder: string, wallets: readonly string[], signal: AbortSignal): Promise<number>
}

const onEvm: Funding = { findFunder, fund: fundWallets }
const onLitecoin: Funding = {
  findFunder: readOperatorsAddress,
  fund: (nodeUrl, _, wallets, signal) => fundLitecoinWallets(nodeUrl, wallets, signal),
}

/**
 * Sends test money to each hot wallet that never had any money. Coffer books the transfer when it reads the
 * transfer's block, like any transfer from outside. The money counts as the operator's own, because its sender
 * is registered as a source of capital. This function books nothing itself, so an interruption loses nothing
 * and books nothing twice.
 */
export function keepHotWalletsFunded(parts: FundHotWalletsParts): Promise<void> {
  const { db, network, clock, log, signal } = parts
  const lease = { db, name: `fund hot wallets ${network}`, ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(fundHotWalletsWorker(parts), { clock, log, signal: held }))
}

export function fundHotWalletsWorker({
  db,
  network,
  nodeUrl,
  log,
}: Omit<FundHotWalletsParts, 'signal' | 'clock'>): Worker {
  const seen = new Set<string>()
  return {
    name: `fund hot wallets of ${network}`,
    idleMs,
    runBatch: async (signal) => {
      const hotWallets = (await readHotWallets(db, network)).map(({ address }) => address)
      const fresh = hotWallets.filter((address) => !seen.has(address))
      if (fresh.length === 0) return 0
      const { findFunder, fund } = networkOf(network)?.family === 'evm' ? onEvm : onLitecoin
      const funder = await findFunder(nodeUrl, signal)
      if (funder === undefined) {
        log.warn({ network }, 'the dev chain has no unlocked account, so the hot wallets are not funded')
      } else {
        await saveCapitalSource(db, network, funder)
        const funded = await fund(nodeUrl, funder, fresh, signal)
        log.info({ network, funded }, 'hot wallets have their initial funds')
      }
      for (const address of fresh) seen.add(address)
      return 0
    },
  }
}
