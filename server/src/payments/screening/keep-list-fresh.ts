import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { withLease } from '../../platform/db/lease.ts'
import { findList } from './list-store.ts'
import { type LoadListParts, loadList } from './load-list.ts'
import { openSource } from './open-source.ts'

export interface KeepListFreshParts extends LoadListParts {
  /** A path or an https URL; undefined where no list is to be kept. */
  readonly sanctionsFile: string | undefined
  readonly clock: Clock
  readonly log: Log
}

/** How often is looked whether a reading is due; one that failed is tried again at the next look. */
const lookEveryMs = 60_000

/**
 * Reads the list every six hours until the signal aborts, while this process holds the lease `sanctions`: the source is
 * asked once, however many processes there are. A reading that fails, or is not to be believed, leaves the list as it
 * is, which grows stale by itself.
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
    idleMs: lookEveryMs,
    takeAndDo: async (signal) => {
      const before = await findList(db)
      if (before !== undefined && !isDue(before.readAt, parts.clock.now())) return 0
      try {
        const source = await openSource(sanctionsFile, signal)
        const { isNew, addressCount } = await loadList(parts, source)
        log.info({ source: source.name, isNew, addressCount }, 'sanctions list read')
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'the sanctions list could not be renewed')
      }
      return 0
    },
  }
}

function isDue(readAt: Date, now: Date): boolean {
  return now.getTime() - readAt.getTime() >= limits.sanctionsRefreshS * 1000
}
