import { type Clock, monotonicMs } from '../../core/clock.ts'
import { workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { BalancePassParts } from './book-found.ts'
import { passOnce } from './run-pass.ts'

export interface FindByBalanceParts extends BalancePassParts {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The pause after a pass, as a multiple of the pass's duration. It bounds the load on nodes and database. */
const restsPerPass = 20

/**
 * Compares balances of the coin of an EVM network with the books until the signal aborts. The lease ensures that
 * only one process at a time compares a network.
 */
export async function findByBalance(parts: FindByBalanceParts): Promise<void> {
  const { db, chain, clock, log, signal } = parts
  // Where tokens alone are accepted, coin pays nothing, and payments of it are not booked at all.
  if (chain.traits.hasOutpoints || chain.tokens !== undefined) return
  const name = `compare balances ${chain.network}`
  await withLease({ db, name, ttlMs: limits.leaseMs, clock, log, signal }, (held, heldSignal) => {
    let restMs: number = limits.balancePassMs
    const worker = {
      name,
      get idleMs() {
        return restMs
      },
      runBatch: async (stop: AbortSignal) => {
        const beganMs = monotonicMs()
        await passOnce(parts, held, stop)
        restMs = Math.max(limits.balancePassMs, restsPerPass * (monotonicMs() - beganMs))
        return 0
      },
    }
    return workLoop(worker, { clock, log, signal: heldSignal })
  })
}
