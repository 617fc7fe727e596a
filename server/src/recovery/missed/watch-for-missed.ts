import type { Clock } from '../../core/clock.ts'
import { workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { withLease } from '../../platform/db/lease.ts'
import type { ComparisonParts } from './comparison.ts'
import { rereadBlocks } from './reread-blocks.ts'
import { searchAddresses } from './search-addresses.ts'

export interface WatchForMissedParts extends ComparisonParts {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Searches a network for missed payments until the signal aborts. The search holds a lease, so only one
 * process at a time searches a network.
 */
export function watchForMissed(parts: WatchForMissedParts): Promise<void> {
  const { db, chain, clock, log, signal } = parts
  const lease = { db, name: `find missed ${chain.network}`, ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, async (held, heldSignal) => {
    const loop = { clock, log, signal: heldSignal }
    await Promise.all([
      workLoop(searchAddresses(parts, held), loop),
      workLoop(rereadBlocks(parts, held), loop),
    ])
  })
}
