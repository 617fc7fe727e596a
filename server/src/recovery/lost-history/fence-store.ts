/** Whether blocks may be read on after a loss. */
import sql, { type Sql } from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** For so long after a loss was noticed its other witnesses may still notice it: three heartbeats. */
const witnessS = 6
/** A process that compares what it remembers says so more often than this, or it died. */
const silentS = 15

/** Whether something committed is missing since an incarnation began, or may be. */
export const isLossy = sql`cause in ('promotion', 'loss')`

/** What blocks wait for. */
export type HoldCause = 'comparison' | 'recovery' | 'witnesses' | 'put-back'

/** Everything that the blocks of a family wait for: rows of a cause and of when it came up, where that is known. */
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
  where recovery.family = ${family} and (ended_at is null or noted_at > now() - ${witnessS} * interval '1 second')
  union all
  select 'put-back', beat_at from loss_put_back
  where ended_at is null and beat_at > now() - ${silentS} * interval '1 second'`

/**
 * Names the state of a family's addresses; undefined while what is paid to some of them could be missed: another server
 * took over and nobody looked yet, or a loss was noticed and its addresses are not all watched again, or a process is still putting
 * back what it acknowledged. The name changes with the timeline of the database and with every incarnation: what was looked up under
 * one name says nothing under another.
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
  /** Undefined where nobody noted it. */
  readonly since: Date | undefined
}

/** What the blocks of some families wait for. */
export async function readHolds(on: Queryable, families: readonly string[]): Promise<readonly Hold[]> {
  const rows = await on.query<Omit<Hold, 'since'> & { since: Date | null }>(sql`
    select used.family, held.cause, min(held.since) as since
    from unnest(${[...families]}::text[]) used (family) cross join lateral (${holdsOf(sql`used.family`)}) held
    group by used.family, held.cause order by used.family, held.cause`)
  return rows.map(({ since, ...hold }) => ({ ...hold, since: since ?? undefined }))
}

/**
 * Call it in a transaction that books what was looked up under `fence`. @throws Error where addresses were lost, or were watched again,
 * since: then everything is to be looked up anew
 */
export async function assertFence(tx: Tx, family: string, fence: string): Promise<void> {
  if ((await readFence(tx, family)) === fence) return
  throw new Error('the database went on with another history, or the recovery of its addresses goes on')
}
