/** Whether blocks may be read on after a loss. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

/** For so long after a loss was noticed its other witnesses may still notice it: two heartbeats. */
const witnessS = 10
/** A process that compares what it remembers says so more often than this, or it died. */
const silentS = 15

/**
 * Names the state of a family's addresses; undefined while what is paid to some of them could be missed: a loss was noticed,
 * and its addresses are not all watched again, or a process is still putting back what it acknowledged. The name changes with the
 * timeline of the database and with every loss: what was looked up under one name says nothing under another.
 */
export async function readFence(on: Queryable, family: string): Promise<string | undefined> {
  const row = await one<{ fence: string; held: boolean }>(
    on,
    named(
      'read-fence',
      sql`
      select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
          || '/' || coalesce((select max(incarnation) from loss_recovery where family = ${family}), 0) as fence,
        exists (
          select from loss_recovery where family = ${family}
            and (ended_at is null or noted_at > now() - ${witnessS} * interval '1 second'))
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
