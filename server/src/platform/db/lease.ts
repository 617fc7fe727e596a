/**
 * A lease: the right to be the only one who does a job, held for a while on the database's clock. Losing it is
 * normal (a paused process, a slow network), so the lease itself stops nobody: every transaction that writes under
 * it calls `assertLease`, and a holder who was taken over cannot commit.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { type Db, one, type Queryable } from './pool.ts'
import { sqlState, type Tx } from './transaction.ts'

/** A condition in SQL, made anew for each statement that it becomes part of. */
export type Guard = () => Sql

export interface Lease {
  readonly name: string
  readonly holderId: string
  /** Rises with every change of hands; a holder of an older epoch has lost the lease. */
  readonly epoch: number
  readonly ttlMs: number
  /** What else must hold where something is written under the lease; looked at in the statement that looks at the lease. */
  readonly guard?: Guard | undefined
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'

  constructor(lease: Lease) {
    const unknown =
      lease.guard === undefined ? '' : ', or the database is on a history that was not compared yet'
    super(`the lease "${lease.name}" of epoch ${lease.epoch} is held by another or was released${unknown}`)
  }
}

export interface LeaseParts {
  readonly db: Db
  readonly name: string
  readonly ttlMs: number
  /** Passed on to the lease. While it does not hold, the lease is neither taken nor renewed. */
  readonly guard?: Guard | undefined
  readonly clock: Clock
  readonly log: Log
  /** Ends the loop; the lease is released on the way out. */
  readonly signal: AbortSignal
}

/**
 * Keeps trying to get the lease and does `work` whenever it holds it, until `signal` aborts. The signal given to
 * `work` aborts when the lease is lost; `work` should then return. When `work` ends or throws, the lease is
 * released, and after a rest the loop tries again.
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
      log.warn({ lease: name, err: error }, 'could not ask for a lease, will try again')
      return undefined
    })
    if (lease !== undefined) await workWhileHeld(parts, lease, work)
    await clock.sleep(restMs, signal)
  }
}

/**
 * Takes the lease if it is free or has expired, at once or not at all. A take-over waits for transactions that
 * have asserted the lease and are still open (up to the lock timeout, then it is not taken).
 * @returns undefined while another holds it.
 */
export async function acquireLease(
  on: Queryable,
  { name, holderId, ttlMs, guard }: Omit<Lease, 'epoch'>,
): Promise<Lease | undefined> {
  // The look before the insert keeps those who wait for the lease from locking its row.
  const statement = sql`
    insert into lease (name, holder_id, epoch, expires_at)
    select ${name}, ${holderId}::uuid, 1, clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'
    where not exists (select from lease where name = ${name} and expires_at > clock_timestamp())
      and ${guarded({ guard })}
    on conflict (name) do update
      set holder_id = excluded.holder_id, epoch = lease.epoch + 1, expires_at = excluded.expires_at
      where lease.expires_at <= clock_timestamp()
    returning epoch`
  try {
    const row = await one<{ epoch: number }>(on, statement)
    return row && { name, holderId, epoch: row.epoch, ttlMs, guard }
  } catch (error) {
    if (takenByAnother.includes(sqlState(error) ?? '')) return undefined
    throw error
  }
}

/** Holds on for another `ttlMs` from now. False when the lease is lost. */
export async function renewLease(on: Queryable, lease: Lease): Promise<boolean> {
  const rows = await on.query(sql`
    update lease set expires_at = clock_timestamp() + ${lease.ttlMs}::float8 * interval '1 millisecond'
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch} and ${guarded(lease)}
    returning name`)
  return rows.length > 0
}

/** Frees the lease for the next; from then on `assertLease` refuses this one. Nothing happens if it was lost. */
export async function releaseLease(on: Queryable, lease: Lease): Promise<void> {
  await on.query(sql`
    update lease set expires_at = '-infinity', epoch = epoch + 1
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch}`)
}

/**
 * Call it in every transaction that writes under the lease. The lock on the row's key lasts until commit, and a take-over
 * changes that key, of which the epoch is part, so nobody can take over between this look and the commit. A renewal
 * does not, so that a transaction may last longer than the lease. A lease that has expired but was not
 * taken over still holds: no other could have written.
 * @throws LeaseLostError
 */
export async function assertLease(tx: Tx, lease: Lease): Promise<void> {
  const rows = await tx.query(sql`
    select name from lease
    where name = ${lease.name} and holder_id = ${lease.holderId} and epoch = ${lease.epoch} and ${guarded(lease)}
    for key share`)
  if (rows.length === 0) throw new LeaseLostError(lease)
}

/**
 * SQLSTATEs: a lock timeout, as an open transaction of the holder has the row; a unique violation, as another made the first
 * row of that name at the same moment and `on conflict` looks at one of its two unique indexes alone.
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
  const renewing = keepRenewing(parts, lease, lost, ended.signal)
  parts.log.info({ lease: lease.name, epoch: lease.epoch }, 'lease acquired')
  try {
    await work(lease, AbortSignal.any([parts.signal, lost.signal]))
  } catch (error) {
    if (!parts.signal.aborted) {
      parts.log.error({ lease: lease.name, epoch: lease.epoch, err: error }, 'work under a lease failed')
    }
  } finally {
    ended.abort()
    await renewing
    await releaseLease(parts.db, lease).catch((error: unknown) => {
      parts.log.warn({ lease: lease.name, err: error }, 'a lease was not released, it will expire')
    })
  }
}

/** Renews at a third of the lease's life; aborts `lost` when it is taken, or may be because no renewal came through. */
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
 * Ends every lease at once, so that a start need not wait for those of a killed predecessor to run out. Only for
 * whoever knows that no other process works on this database, as the holder of an embedded one's folder does.
 */
export async function endAllLeases(on: Queryable): Promise<void> {
  await on.query(sql`update lease set expires_at = '-infinity', epoch = epoch + 1`)
}
