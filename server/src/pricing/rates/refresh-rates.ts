/** Polls the price sources and stores one rate for each symbol and minute. */

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
  /** The symbols to price. An operator may add tokens at any time. */
  symbolsOf(): readonly string[]
  /**
   * The number of sources that must agree: 3 public sources, or all of them if fewer are configured, or 1
   * with the fixed prices of the sandbox.
   */
  readonly agreeingMin: number
  /** Reads prices: from the configured sources with `fetchRates`, or from the table of fixed prices. */
  read(symbols: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly Reading[]>>
}

/** A rate is fresh for 90 s, so rates stay fresh even if two polls in a row fail. */
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

/**
 * Builds the worker. If two workers run at once, the later reading of a minute replaces the earlier one,
 * which does no harm. The lease only avoids duplicate requests to the sources.
 */
function refreshRatesWorker(parts: RefreshRatesParts, lease?: Lease): Worker {
  return {
    name: 'rates',
    idleMs: refreshEveryMs,
    runBatch: async (signal) => {
      await refreshRates(parts, signal, lease)
      return 0
    },
  }
}

/**
 * Reads the price of each symbol and stores it for the current minute. If the sources do not agree, nothing
 * is stored and the last rate becomes stale by itself.
 * @throws LeaseLostError if another process holds the lease when the readings arrive
 */
export async function refreshRates(
  parts: RefreshRatesParts,
  signal: AbortSignal,
  lease?: Lease,
): Promise<void> {
  const symbols = parts.symbolsOf()
  const readings = await parts.read(symbols, signal)
  const previous = await recentPrices(parts.db, symbols)
  const agreed: Omit<Rate, 'takenAt'>[] = []
  for (const symbol of symbols) {
    const rules = { agreeingMin: parts.agreeingMin, previousUsd: previous.get(symbol) }
    const agreement = agree(readings.get(symbol) ?? [], rules)
    if (agreement.type === 'agreed') {
      const { priceUsd, sources } = agreement
      agreed.push({ symbol, priceUsd, sources })
    } else parts.log.warn({ symbol, reason: agreement.reason }, 'no rate could be set')
  }
  await inTransaction(parts.db, async (tx) => {
    if (lease !== undefined) await assertLease(tx, lease)
    await saveRates(tx, agreed)
  })
}
