import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { assertLease, type Lease, withLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { agree, type Rate, type Reading } from './rate.ts'
import { recentPrices, saveRates } from './store.ts'

export interface RefreshRatesParts {
  readonly db: Db
  readonly log: Log
  readonly symbols: readonly string[]
  /** How many sources must agree: 3 with public ones, 1 with the fixed table. */
  readonly agreeingMin: number
  /** `fetchRates` over the configured sources, or the fixed table. */
  read(symbols: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly Reading[]>>
}

/** Rates stay fresh for 90 s, so that two failed rounds in a row are outlived. */
const refreshEveryMs = 20_000

/** Refreshes rates until the signal aborts, while this process holds the lease `rates`. */
export function keepRatesFresh(
  parts: RefreshRatesParts & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const { db, log, clock, signal } = parts
  return withLease({ db, name: 'rates', ttlMs: limits.leaseMs, clock, log, signal }, (lease, held) =>
    workLoop(refreshRatesWorker(parts, lease), { clock, log, signal: held }),
  )
}

/** Two at once do no harm, the later reading of a minute stands; under a lease the sources are asked once. */
function refreshRatesWorker(parts: RefreshRatesParts, lease?: Lease): Worker {
  return {
    name: 'rates',
    idleMs: refreshEveryMs,
    takeAndDo: async (signal) => {
      await refreshRates(parts, signal, lease)
      return 0
    },
  }
}

/**
 * Takes the price of each symbol and keeps it for the minute. Where the sources do not agree nothing is stored and
 * the last rate goes stale by itself.
 * @throws LeaseLostError when another holds the lease by the time the readings are there.
 */
export async function refreshRates(
  parts: RefreshRatesParts,
  signal: AbortSignal,
  lease?: Lease,
): Promise<void> {
  const readings = await parts.read(parts.symbols, signal)
  const previous = await recentPrices(parts.db, parts.symbols)
  const agreed: Omit<Rate, 'takenAt'>[] = []
  for (const symbol of parts.symbols) {
    const rules = { agreeingMin: parts.agreeingMin, previousUsd: previous.get(symbol) }
    const agreement = agree(readings.get(symbol) ?? [], rules)
    if (agreement.type === 'agreed') {
      const { priceUsd, sources } = agreement
      agreed.push({ symbol, priceUsd, sources })
    } else parts.log.warn({ symbol, reason: agreement.reason }, 'no rate this time')
  }
  await inTransaction(parts.db, async (tx) => {
    if (lease !== undefined) await assertLease(tx, lease)
    await saveRates(tx, agreed)
  })
}
