/** How each process of a simulation notices that the database went back in time. */
import { insertOwnHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import { HistoryWatch } from '../../src/platform/incarnation/history-watch.ts'
import type { HeartbeatMemory, Memory } from '../../src/platform/incarnation/memory-file.ts'
import type { Handles } from './handles.ts'
import type { Job } from './processes.ts'

/** The files with the last heartbeats, by process. They are not on the host of the database, and stay after a restore. */
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
  /** Waits for the first heartbeat, before which no process does anything else. */
  ready(): Promise<void>
  readonly job: Job
  /** Returns the incarnation that the process knows. */
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

const never = new AbortController().signal
