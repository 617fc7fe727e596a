import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { withLease } from '../../platform/db/lease.ts'
import { findList } from './list-store.ts'
import { type LoadListParts, loadList } from './load-list.ts'
import { openSource } from './open-source.ts'

export interface KeepListFreshParts extends LoadListParts {
  /** The path or https URL of the list; undefined if this installation uses no list. */
  readonly sanctionsFile: string | undefined
  readonly clock: Clock
  readonly log: Log
}

/**
 * How often the worker checks whether the list must be read again. A failed attempt is repeated after this
 * interval.
 */
const pollMs = 60_000

/**
 * Reads the list every six hours until the signal aborts. Only the process that holds the lease `sanctions`
 * reads, so the source gets few requests. If reading fails or the new list is not plausible, the old list
 * stays in force. A list becomes stale after 48 hours.
 */
export async function keepListFresh(
  parts: KeepListFreshParts & { readonly signal: AbortSignal },
): Promise<void> {
  const { db, clock, log, signal, sanctionsFile } = parts
  if (sanctionsFile === undefined) return
  await withLease({ db, name: 'sanctions', ttlMs: limits.leaseMs, clock, log, signal }, (_, held) =>
    workLoop(listRefresher({ ...parts, sanctionsFile }), { clock, log, signal: held }),
  )
}

export function listRefresher(parts: KeepListFreshParts & { readonly sanctionsFile: string }): Worker {
  const { db, log, sanctionsFile } = parts
  return {
    name: 'sanctions list',
    idleMs: pollMs,
    runBatch: async (signal) => {
      const before = await findList(db)
      if (before !== undefined && !isDue(before.readAt, parts.clock.now())) return 0
      try {
        const source = await openSource(sanctionsFile, signal)
        const { isNew, addressCount } = await loadList(parts, source)
        log.info({ source: source.name, isNew, addressCount }, 'sanctions list read')
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'the sanctions list could not be refreshed')
      }
      return 0
    },
  }
}

function isDue(readAt: Date, now: Date): boolean {
  return now.getTime() - readAt.getTime() >= limits.sanctionsRefreshS * 1000
}
