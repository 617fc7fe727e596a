/** Whether blocks may be read on after a loss. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

/** For so long after a loss was noticed its other witnesses may still notice it: three heartbeats. */
const witnessS = 6
/** A process that compares what it remembers says so more often than this, or it died. */
const silentS = 15

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
      with newest as (
        select number, timeline, cause in ('promotion', 'loss') as is_lossy
        from incarnation order by number desc limit 1
      ), recovery as (
        select incarnation, ended_at is null as is_open, noted_at from loss_recovery where family = ${family}
      )
      select concat(current_wal_timeline(), '/', (select number from newest), '/', (select max(incarnation) from recovery)) as fence,
        exists (select from newest where timeline <> current_wal_timeline())
        or exists (select from newest where is_lossy and not exists (select from recovery where incarnation >= number))
        or exists (select from recovery where is_open or noted_at > now() - ${witnessS} * interval '1 second')
        or exists (
          select from loss_put_back
          where ended_at is null and beat_at > now() - ${silentS} * interval '1 second') as held`,
    ),
  )
  return row === undefined || row.held ? undefined : row.fence
}

/**
 * Call it in a transaction that books what was looked up under `fence`. @throws Error where addresses were lost, or were watched again,
 * since: then everything is to be looked up anew
 */
export async function assertFence(tx: Tx, family: string, fence: string): Promise<void> {
  if ((await readFence(tx, family)) === fence) return
  throw new Error('the database went on with another history, or the recovery of its addresses goes on')
}
