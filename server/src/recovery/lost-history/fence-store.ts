/** Decides whether blocks may be booked after the database lost a part of its history. */
import sql, { type Sql } from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/**
 * Number of seconds for which no block is booked after a process has recorded a loss of history. Three
 * heartbeats fit in this time, so other processes can notice the loss too.
 */
const witnessS = 6
/**
 * A process that restores lost records and has not reported for this many seconds counts as dead. A living
 * process reports more often than that.
 */
const silentS = 15

/** SQL: true for an incarnation that began with a loss, or possible loss, of committed data. */
export const isLossy = sql`cause in ('promotion', 'loss')`

/** The reasons why the blocks of an address family cannot be booked yet. */
export type HoldCause = 'comparison' | 'recovery' | 'witnesses' | 'put-back'

/**
 * SQL: all reasons why the blocks of an address family cannot be booked yet. `since` is the time when the
 * reason began, if known.
 */
const holdsOf = (family: Sql) => sql`
  select 'comparison' as cause, null::timestamptz as since
  from (select timeline from incarnation order by number desc limit 1) newest
  where timeline <> current_wal_timeline()
  union all
  select 'recovery', began_at from incarnation
  where ${isLossy} and not exists (
    select from loss_recovery opened where opened.incarnation = number and opened.family = ${family})
  union all
  select case when ended_at is null then 'recovery' else 'witnesses' end, noted_at from loss_recovery recovery
  where recovery.family = ${family} and (ended_at is null or noted_at > coffer_now() - ${witnessS} * interval '1 second')
  union all
  select 'put-back', beat_at from loss_put_back
  where ended_at is null and beat_at > coffer_now() - ${silentS} * interval '1 second'`

/**
 * Returns the fence of an address family: a text that changes with the database's timeline and with every
 * incarnation. Facts that were looked up under one fence are not valid under another.
 * Returns undefined while payments to addresses of the family could be missed:
 * - Another database server took over, and no process has compared its memory with the database yet.
 * - Addresses that a known loss may concern are not watched again yet, or the loss was recorded only a few
 *   seconds ago.
 * - A process is still restoring records that it acknowledged before the loss.
 */
export async function readFence(on: Queryable, family: string): Promise<string | undefined> {
  const row = await one<{ fence: string; held: boolean }>(
    on,
    named(
      'read-fence',
      sql`
      select concat(
          current_wal_timeline(), '/', (select max(number) from incarnation), '/',
          (select max(incarnation) from loss_recovery where family = ${family})) as fence,
        exists (${holdsOf(sql`${family}::text`)}) as held`,
    ),
  )
  return row === undefined || row.held ? undefined : row.fence
}

export interface Hold {
  readonly family: string
  readonly cause: HoldCause
  /** The time when the reason began; undefined if that time was not recorded. */
  readonly since: Date | undefined
}

/** Returns the reasons why blocks of the given address families cannot be booked yet; empty if all can. */
export async function readHolds(on: Queryable, families: readonly string[]): Promise<readonly Hold[]> {
  const rows = await on.query<Omit<Hold, 'since'> & { since: Date | null }>(sql`
    select used.family, held.cause, min(held.since) as since
    from unnest(${[...families]}::text[]) used (family) cross join lateral (${holdsOf(sql`used.family`)}) held
    group by used.family, held.cause order by used.family, held.cause`)
  return rows.map(({ since, ...hold }) => ({ ...hold, since: since ?? undefined }))
}

/**
 * Checks that the fence of an address family is still `fence`. Must be called in the transaction that books
 * the facts that were looked up under `fence`.
 * @throws Error if the fence has changed. The caller must then look up everything again.
 */
export async function assertFence(tx: Tx, family: string, fence: string): Promise<void> {
  if ((await readFence(tx, family)) === fence) return
  throw new Error(
    'the database continued with another history, or the recovery of its addresses is not complete',
  )
}
