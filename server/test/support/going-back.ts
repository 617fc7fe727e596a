/** A database that goes back in time, and processes that notice it. */
import sql from 'sql-template-tag'
import { insertOwnHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import type { Guard } from '../../src/platform/db/lease.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { HistoryWatch } from '../../src/platform/incarnation/history-watch.ts'
import type { Loss } from '../../src/platform/incarnation/loss.ts'
import type { TestDatabase } from './database.ts'

export interface WatchingProcess {
  readonly history: HistoryWatch
  /** What its hook was told. */
  readonly losses: readonly Loss[]
  /** The words of its alerts. */
  readonly alerts: readonly unknown[]
}

/** A process of the service, as far as it watches history. Its beats are made by the test. */
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
    memoryPath,
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

/** For tests in which nothing goes back. */
export const anyHistory: Guard = () => sql`true`

/** Has every process's last beats be gone, as after the promotion of a standby that was behind. */
export async function loseBeats({ owner }: Pick<TestDatabase, 'owner'>, beats = 1): Promise<void> {
  await owner.query(sql`update process_heartbeat set beat = beat - ${beats} where beat > ${beats}`)
}

/** Has a process look as if it had been killed some time ago. */
export async function ageBeats(
  { owner }: Pick<TestDatabase, 'owner'>,
  role: string,
  seconds: number,
): Promise<void> {
  await owner.query(sql`
    update process_heartbeat set beat_at = beat_at - ${seconds}::integer * interval '1 second' where role = ${role}`)
}

/** Has the database look as a server does that was promoted: its log is on another timeline. */
export async function promote({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query({
    text: `do $$ begin
        execute format('create or replace function current_wal_timeline() returns bigint language sql volatile as %L',
          format('select %s::bigint', current_wal_timeline() + 1));
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
