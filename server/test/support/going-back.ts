/** A database that goes back in time, and processes that notice it. */
import sql from 'sql-template-tag'
import { insertOwnHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import type { Guard } from '../../src/platform/db/lease.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { HistoryWatch } from '../../src/platform/incarnation/history-watch.ts'
import type { Loss } from '../../src/platform/incarnation/loss.ts'
import { memoryFile } from '../../src/platform/incarnation/memory-file.ts'
import type { TestDatabase } from './database.ts'

export interface WatchingProcess {
  readonly history: HistoryWatch
  /** The losses of history that the process has noticed. */
  readonly losses: readonly Loss[]
  /** The names of the alerts that the process has logged. */
  readonly alerts: readonly unknown[]
}

/** Opens the part of a service process that watches history. The test makes its heartbeats. */
export function openProcess(
  { db }: Pick<TestDatabase, 'db'>,
  role: string,
  memoryPath?: string,
): WatchingProcess {
  const losses: Loss[] = []
  const alerts: unknown[] = []
  const history = new HistoryWatch({
    db,
    role,
    memory: memoryPath === undefined ? undefined : memoryFile(memoryPath),
    log: {
      info: () => {},
      warn: () => {},
      error: ({ alert }) => {
        alerts.push(alert)
      },
    },
    halt: (tx: Tx, detail) => insertOwnHalt(tx, 'history', detail),
    onLoss: (loss) => {
      losses.push(loss)
    },
  })
  return { history, losses, alerts }
}

/** A guard that always passes, for tests in which the database does not go back. */
export const anyHistory: Guard = () => sql`true`

/** Removes the last heartbeats of every process, as the promotion of a standby that lagged does. */
export async function loseBeats({ owner }: Pick<TestDatabase, 'owner'>, beats = 1): Promise<void> {
  await owner.query(sql`update process_heartbeat set beat = beat - ${beats} where beat > ${beats}`)
}

/** Makes a process look as if it had been killed this many seconds ago. */
export async function ageBeats(
  { owner }: Pick<TestDatabase, 'owner'>,
  role: string,
  seconds: number,
): Promise<void> {
  await owner.query(sql`
    update process_heartbeat set beat_at = beat_at - ${seconds}::integer * interval '1 second' where role = ${role}`)
}

/** Makes the database look like a promoted server, whose write-ahead log is on the next timeline. */
export function promote(database: Pick<TestDatabase, 'owner'>): Promise<void> {
  return moveTimeline(database, 1)
}

/** Makes the database look like the server before a promotion, whose disk was put back. */
export function demote(database: Pick<TestDatabase, 'owner'>): Promise<void> {
  return moveTimeline(database, -1)
}

async function moveTimeline({ owner }: Pick<TestDatabase, 'owner'>, by: number): Promise<void> {
  await owner.query({
    text: `do $$ begin
        execute format('create or replace function current_wal_timeline() returns bigint language sql volatile as %L',
          format('select %s::bigint', current_wal_timeline() + (${by})));
      end $$`,
    values: [],
  })
}

export interface IncarnationRow {
  readonly number: number
  readonly cause: string
}

export function readIncarnations(on: Queryable): Promise<readonly IncarnationRow[]> {
  return on.query<IncarnationRow>(sql`select number, cause from incarnation order by number`)
}
