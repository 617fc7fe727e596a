/**
 * Starts, in each simulated process, the check that detects a database that was restored to an earlier state.
 */
import { insertOwnHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import { HistoryWatch } from '../../src/platform/incarnation/history-watch.ts'
import type { HeartbeatMemory, Memory } from '../../src/platform/incarnation/memory-file.ts'
import type { SessionPool } from '../ports/sessions.ts'
import type { Handles } from './handles.ts'
import type { Job } from './processes.ts'

/**
 * The files in which processes store their last heartbeat, by process. They are not on the host of the
 * database, so a restore does not change them.
 */
export class HeartbeatFiles {
  readonly #kept = new Map<string, Memory>()

  of(role: string): HeartbeatMemory {
    return {
      read: async () => this.#kept.get(role),
      write: async (memory) => void this.#kept.set(role, memory),
    }
  }
}

export interface WatchedHistory {
  /** Waits for the first heartbeat. A process must do nothing else before it. */
  ready(): Promise<void>
  readonly job: Job
  /** Returns the incarnation of the database that the process knows. */
  incarnation(): number | undefined
}

export function watchHistory({ db, log }: Handles, role: string, memory: HeartbeatMemory): WatchedHistory {
  const history = new HistoryWatch({
    db,
    log,
    role,
    memory,
    halt: (tx, detail) => insertOwnHalt(tx, 'history', detail),
    onLoss: () => {},
  })
  let first: Promise<void> | undefined
  const begin = () =>
    history.beat().catch((error: unknown) => {
      first = undefined
      throw error
    })
  return {
    ready: () => {
      if (history.known !== undefined) return Promise.resolve()
      first ??= begin()
      return first
    },
    job: { name: 'heartbeat', everyMs: 2_000, run: () => history.worker().runBatch(never) },
    incarnation: () => history.known?.incarnation,
  }
}

/** Returns one sentence if the newest incarnation is not of the database server that runs now. */
export async function findUnnoticedPromotion(
  sessions: Pick<SessionPool, 'look'>,
): Promise<readonly string[]> {
  const [newest] = await sessions.look<{ isOfServer: boolean }>(
    `select timeline = current_wal_timeline() as "isOfServer" from incarnation order by number desc limit 1`,
  )
  const isNoticed = newest?.isOfServer === true
  return isNoticed ? [] : ['another database server took over, and no process has noticed it']
}

const never = new AbortController().signal
