/**
 * A lease is the right of one process to do a job alone, for a limited time by the database's clock. A holder
 * can lose its lease without noticing, for example when the process is paused or the network is slow. Every
 * transaction that writes under the lease therefore calls `assertLease`, which fails after another process
 * has taken the lease over.
 */

import sql, { type Sql } from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import { newId } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { type Db, one, type Queryable } from './pool.ts'
import { sqlState, type Tx } from './transaction.ts'

/** Returns an SQL condition. It is called for each statement, because the condition may have changed. */
export type Guard = () => Sql

export interface Lease {
  readonly name: string
  readonly holderId: string
  /** Increases whenever the lease changes hands. A holder with an older epoch has lost the lease. */
  readonly epoch: number
  readonly ttlMs: number
  /** A further condition for writes under the lease, checked in the same statement as the lease. */
  readonly guard?: Guard | undefined
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'

  constructor(lease: Lease) {
    const unknown =
      lease.guard === undefined ? '' : ', or the incarnation of the database is not verified yet'
    super(
      `the lease "${lease.name}" of epoch ${lease.epoch} is held by another process or was released${unknown}`,
    )
  }
}

export interface LeaseParts {
  readonly db: Db
  readonly name: string
  readonly ttlMs: number
  /** The guard of the lease. While its condition is false, the lease is neither taken nor renewed. */
  readonly guard?: Guard | undefined
  readonly clock: Clock
  readonly log: Log
  /** Aborts to end `withLease`, which then releases the lease. */
  readonly signal: AbortSignal
}

/**
 * Keeps trying to acquire the lease until `signal` aborts, and calls `work` each time it has acquired the
 * lease. The signal passed to `work` aborts when the lease is lost; `work` should then return. When `work`
 * returns or throws, the lease is released, and the loop tries again after a pause.
 */
export async function withLease(
  parts: LeaseParts,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { db, name, ttlMs, guard, clock, log, signal } = parts
  const holderId = newId()
  const restMs = Math.min(ttlMs / 3, 1_000)
  while (!signal.aborted) {
    const lease = await acquireLease(db, { name, holderId, ttlMs, guard }).catch((error: unknown) => {
      log.warn({ lease: name, err: error }, 'could not request a lease, will try again')
      return undefined
    })
    if (lease !== undefined) await workWhileHeld(parts, lease, work)
    await clock.sleep(restMs, signal)
  }
}

/**
 * Takes the lease at once if it is free or expired. A takeover waits for open transactions that have called
 * `assertLease`. If these are still open after the lock timeout, the lease is not taken.
 * @returns undefined while another process holds the lease
 */
export async function acquireLease(
  on: Queryable,
  { name, holderId, ttlMs, guard }: Omit<Lease, 'epoch'>,
): Promise<Lease | undefined> {
  // The statement checks whether the lease is held before it inserts, so that processes that wait for the
  // lease do not lock its row.
  const statement = sql`
    insert into lease (name, holder_id, epoch, expires_at)
    select ${name}, ${holderId}::uuid, 1, coffer_clock() + ${ttlMs}::float8 * interval '1 millisecond'
    where not exists (select from lease where name = ${name} and expires_at > coffer_clock())
      and ${guarded({ guard })}
    on conflict (name) do update
      set holder_id = excluded.holder_id, epoch = lease.epoch + 1, expires_at = excluded.expires_at
      where lease.expires_at <= coffer_clock()
    returning epoch`
  try {
    const row = await one<{ epoch: number }>(on, statement)
    return row && { name, holderId, epoch: row.epoch, ttlMs, guard }
  } catch (error) {
    if (takenByAnother.includes(sqlState(error) ?? '')) return undefined
    throw error
  }
}

/** Extends the lease to `ttlMs` from now. Returns false if the lease is lost. */
export async function renewLease(on: Queryable, lease: Lease): Promise<boolean> {
  const rows = await on.query(sql`
    update lease set expires_at = coffer_clock() + ${lease.ttlMs}::float8 * interval '1 millisecond'
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch} and ${guarded(lease)}
    returning name`)
  return rows.length > 0
}

/**
 * Frees the lease for the next holder. `assertLease` rejects this holder from then on. Does nothing if the
 * lease was lost.
 */
export async function releaseLease(on: Queryable, lease: Lease): Promise<void> {
  await on.query(sql`
    update lease set expires_at = '-infinity', epoch = epoch + 1
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch}`)
}

/**
 * Checks that this process holds the lease, and ensures that no other process takes the lease over before the
 * transaction ends. Call it in every transaction that writes under the lease.
 *
 * The function locks the key of the lease's row, which includes the epoch. A takeover changes that key, so it
 * must wait for the commit. A renewal does not change that key, so a transaction may last longer than the
 * lease. An expired lease that was not taken over still counts as held, because no other process can have
 * written.
 * @throws LeaseLostError if the lease was lost or its guard is false
 */
export async function assertLease(tx: Tx, lease: Lease): Promise<void> {
  const rows = await tx.query(sql`
    select name from lease
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch} and ${guarded(lease)}
    for key share`)
  if (rows.length === 0) throw new LeaseLostError(lease)
}

/**
 * SQLSTATEs of a failed takeover. 55P03 is a lock timeout: an open transaction of the holder has locked the
 * row. 23505 is a unique violation: another process inserted the first row of that name at the same moment,
 * and `on conflict` covers only one of the table's two unique indexes.
 */
const takenByAnother: readonly string[] = ['55P03', '23505']

function guarded({ guard }: Pick<Lease, 'guard'>): Sql {
  return guard === undefined ? sql`true` : guard()
}

async function workWhileHeld(
  parts: LeaseParts,
  lease: Lease,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController()
  const ended = new AbortController()
  const held = linkSignal([parts.signal, lost.signal])
  const renewing = keepRenewing(parts, lease, lost, ended.signal)
  parts.log.info({ lease: lease.name, epoch: lease.epoch }, 'lease acquired')
  try {
    await work(lease, held.signal)
  } catch (error) {
    if (!parts.signal.aborted) {
      parts.log.error({ lease: lease.name, epoch: lease.epoch, err: error }, 'work under a lease failed')
    }
  } finally {
    // If the work failed, this stops the operations that it left running.
    held.end()
    ended.abort()
    await renewing
    await releaseLease(parts.db, lease).catch((error: unknown) => {
      parts.log.warn({ lease: lease.name, err: error }, 'a lease was not released, it will expire')
    })
  }
}

/**
 * Renews the lease after each third of its duration. Aborts `lost` if another process has taken the lease
 * over, or may have taken it over because no renewal succeeded for `ttlMs`.
 */
async function keepRenewing(
  { db, clock, log, ttlMs }: LeaseParts,
  lease: Lease,
  lost: AbortController,
  ended: AbortSignal,
): Promise<void> {
  let renewedAt = clock.now()
  while (!ended.aborted) {
    await clock.sleep(ttlMs / 3, ended)
    if (ended.aborted) return
    const askedAt = clock.now()
    const held = await renewLease(db, lease).catch((error: unknown) => {
      log.warn({ lease: lease.name, err: error }, 'a lease was not renewed, will try again')
      return undefined
    })
    if (held === true) renewedAt = askedAt
    const silentMs = clock.now().getTime() - renewedAt.getTime()
    if (held === false || silentMs >= ttlMs) {
      log.warn({ lease: lease.name, epoch: lease.epoch }, 'lease lost')
      lost.abort(new LeaseLostError(lease))
      return
    }
  }
}

/**
 * Ends every lease at once, so that a start need not wait until the leases of a killed Coffer expire. Call it
 * only if no other process works on this database. For an embedded database, the lock of DATA_DIR ensures
 * this condition.
 */
export async function endAllLeases(on: Queryable): Promise<void> {
  await on.query(sql`update lease set expires_at = '-infinity', epoch = epoch + 1`)
}
