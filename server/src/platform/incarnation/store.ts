/** Stores heartbeats of processes, and the incarnations of the database that the processes detected. */
import sql, { type Sql } from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import {
  heartbeatKeptDays,
  type Incarnation,
  type IncarnationCause,
  type SeenHistory,
  type ServerHistory,
} from './history.ts'

/** Identifies a process, by columns of its heartbeat row. */
export interface ProcessName {
  readonly processId: string
  readonly role: string
}

/** The heartbeat row of a process after an increment. */
export interface Beaten {
  readonly beat: number
  readonly beatAt: Date
}

/** The history that the database must still have. Otherwise no heartbeat is written. */
export interface ExpectedHistory extends ServerHistory {
  readonly incarnation: number
  readonly beat: number
}

const systemIdentifier = sql`(select system_identifier::text from pg_control_system())`
const newestIncarnation = sql`(select max(number) from incarnation)`

/** Returns an SQL condition: the server, its timeline and the newest incarnation are as expected. */
function isAsExpected({ incarnation, systemIdentifier: system, timeline }: ExpectedHistory): Sql {
  return sql`current_wal_timeline() = ${timeline}::bigint and ${systemIdentifier} = ${system}
    and ${newestIncarnation} = ${incarnation}::bigint`
}

/**
 * Increments the heartbeat of a process if the history is as expected, in one statement.
 * @returns undefined, without a write, if the history is not as expected
 */
export function beatIfSame(
  on: Queryable,
  { processId }: ProcessName,
  expected: ExpectedHistory,
): Promise<Beaten | undefined> {
  const beat = named(
    'incarnation_beat',
    sql`
      update process_heartbeat set beat = beat + 1, beat_at = coffer_now(), ended_at = null
      where process_id = ${processId} and beat >= ${expected.beat}::bigint and ${isAsExpected(expected)}
      returning beat, beat_at as "beatAt"`,
  )
  return one<Beaten>(on, { ...beat, answerMs: beatAnswerMs })
}

/**
 * How long a process waits for the answer to its heartbeat. A server without power is noticed after this
 * time. If a heartbeat was committed but its answer was lost, the stored number is higher than expected. A
 * higher number does not count as a loss.
 */
const beatAnswerMs = 3_000

/**
 * Returns an SQL condition that is true if the history is as expected. A statement with this condition writes
 * nothing on any other history. The condition is false if `expected` is undefined.
 */
export function isKnownHistory(processId: string, expected: ExpectedHistory | undefined): Sql {
  if (expected === undefined) return sql`false`
  return sql`(${isAsExpected(expected)} and exists (
    select from process_heartbeat where process_id = ${processId} and beat >= ${expected.beat}::bigint))`
}

/**
 * Writes the last heartbeat of a process. Call it after all other writes of that process. Returns undefined
 * if the history has changed.
 */
export function endBeat(
  on: Queryable,
  { processId }: ProcessName,
  expected: ExpectedHistory,
): Promise<Beaten | undefined> {
  return one<Beaten>(
    on,
    sql`update process_heartbeat set beat = beat + 1, beat_at = coffer_now(), ended_at = coffer_now()
        where process_id = ${processId} and beat >= ${expected.beat}::bigint and ${isAsExpected(expected)}
        returning beat, beat_at as "beatAt"`,
  )
}

/**
 * Takes a lock until the transaction ends, so that one process at a time compares and records the history.
 */
export async function lockHistory(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/incarnation', 0))`)
}

interface SeenRow {
  readonly now: Date
  readonly system: string
  readonly timeline: number
  readonly ownBeat: number | null
  readonly lastBeatAt: Date | null
  readonly otherActiveProcesses: number
}

/**
 * Reads what the database shows to a process. Another process counts as active if its end is not recorded, and
 * its last heartbeat is at most a minute older than the newest heartbeat of all. A process with an older
 * heartbeat had stopped before the newest heartbeat. The newest heartbeat survived, so all writes of the
 * stopped process survived too.
 */
export async function readHistory(tx: Tx, { processId }: ProcessName): Promise<SeenHistory> {
  const row = await one<SeenRow>(
    tx,
    sql`
      with newest as (select max(beat_at) as beat_at from process_heartbeat)
      select coffer_clock() as now, ${systemIdentifier} as system, current_wal_timeline() as timeline,
        (select beat from process_heartbeat where process_id = ${processId}) as "ownBeat",
        newest.beat_at as "lastBeatAt",
        (select count(*) from process_heartbeat other
         where other.process_id <> ${processId} and other.ended_at is null
           and other.beat_at > newest.beat_at - interval '1 minute') as "otherActiveProcesses"
      from newest`,
  )
  const { now, system, timeline, ownBeat, lastBeatAt, otherActiveProcesses } = required(row, 'the history')
  return {
    now,
    server: { systemIdentifier: system, timeline },
    current: await readIncarnation(tx),
    ownBeat: ownBeat ?? undefined,
    lastBeatAt: lastBeatAt ?? undefined,
    otherActiveProcesses,
  }
}

export async function readServer(on: Queryable): Promise<ServerHistory> {
  const row = await one<ServerHistory>(
    on,
    sql`select ${systemIdentifier} as "systemIdentifier", current_wal_timeline() as timeline`,
  )
  return required(row, 'the server')
}

/** Returns the newest incarnation; undefined before the first heartbeat of any process. */
export async function readIncarnation(on: Queryable): Promise<Incarnation | undefined> {
  const row = await one<Omit<Incarnation, 'lastSeenAt'> & { lastSeenAt: Date | null }>(
    on,
    sql`select number, cause, system_identifier as "systemIdentifier", timeline, began_at as "beganAt",
          last_seen_at as "lastSeenAt"
        from incarnation order by number desc limit 1`,
  )
  return row && { ...row, lastSeenAt: row.lastSeenAt ?? undefined }
}

export async function insertIncarnation(
  tx: Tx,
  begun: ServerHistory & {
    readonly number: number
    readonly cause: IncarnationCause
    readonly lastSeenAt: Date | undefined
  },
): Promise<void> {
  const { number, cause, systemIdentifier: system, timeline, lastSeenAt = null } = begun
  await tx.query(sql`
    insert into incarnation (number, cause, system_identifier, timeline, last_seen_at)
    values (${number}, ${cause}, ${system}, ${timeline}, ${lastSeenAt})`)
}

/** A heartbeat that a process saw committed, and that the database has lost. */
export interface LostBeat extends ProcessName {
  readonly incarnation: number
  readonly beat: number
  readonly survivingBeat: number | undefined
  readonly lastSeenAt: Date
}

export async function insertLostBeat(tx: Tx, lost: LostBeat): Promise<void> {
  const { incarnation, processId, role, beat, survivingBeat = null, lastSeenAt } = lost
  await tx.query(sql`
    insert into lost_beat (incarnation, process_id, role, beat, surviving_beat, last_seen_at)
    values (${incarnation}, ${processId}, ${role}, ${beat}, ${survivingBeat}, ${lastSeenAt})
    on conflict do nothing`)
}

export function readLostBeats(on: Queryable, incarnation: number): Promise<readonly LostBeat[]> {
  return on.query<LostBeat>(sql`
    select incarnation, process_id as "processId", role, beat, surviving_beat as "survivingBeat",
      last_seen_at as "lastSeenAt"
    from lost_beat where incarnation = ${incarnation} order by last_seen_at, process_id`)
}

/**
 * Starts the heartbeat of a process, or continues it. It continues from the higher of two numbers: the number
 * in the row and the remembered number.
 */
export async function joinHistory(
  tx: Tx,
  { processId, role }: ProcessName,
  { incarnation, beat }: { readonly incarnation: number; readonly beat: number },
): Promise<Beaten> {
  const row = await one<Beaten>(
    tx,
    sql`insert into process_heartbeat (process_id, role, incarnation, beat)
        values (${processId}, ${role}, ${incarnation}, ${beat + 1})
        on conflict (process_id) do update set role = excluded.role, incarnation = excluded.incarnation,
          beat = greatest(process_heartbeat.beat + 1, excluded.beat), beat_at = coffer_now(), ended_at = null
        returning beat, beat_at as "beatAt"`,
  )
  return required(row, 'the heartbeat')
}

export async function forgetOldBeats(on: Queryable): Promise<void> {
  await on.query(sql`
    delete from process_heartbeat
    where beat_at < coffer_now() - ${heartbeatKeptDays}::integer * interval '1 day'`)
}

export interface Heartbeat extends ProcessName {
  readonly secondsAgo: number
  readonly endedAt: Date | null
}

/** Returns the heartbeats of the last day. */
export function readHeartbeats(on: Queryable): Promise<readonly Heartbeat[]> {
  return on.query<Heartbeat>(sql`
    select process_id as "processId", role, ended_at as "endedAt",
      extract(epoch from coffer_now() - beat_at)::float8 as "secondsAgo"
    from process_heartbeat where beat_at > coffer_now() - interval '1 day' order by role, beat_at desc, process_id`)
}
