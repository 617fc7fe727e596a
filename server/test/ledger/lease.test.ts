import sql from 'sql-template-tag'
import { describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import {
  acquireLease,
  assertLease,
  type Lease,
  LeaseLostError,
  releaseLease,
  renewLease,
  withLease,
} from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { leaseRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { devTokenRecords } from '../support/payments/records.ts'
import { plus } from '../support/records/values.ts'

const database = useDatabase()
const longMs = 60_000
const within = { timeout: 10_000 }

/** Takes a lease that is known to be free. */
async function take(name: string, ttlMs = longMs): Promise<Lease> {
  const lease = await acquireLease(database.db, { name, holderId: newId(), ttlMs })
  if (lease === undefined) throw new Error(`${name} is held`)
  return lease
}

/** Makes a lease expire at once, so that the test need not wait. */
async function expire(name: string): Promise<void> {
  await database.db.query(sql`update lease set expires_at = clock_timestamp() where name = ${name}`)
}

describe('a lease', () => {
  it('has one holder, however many ask at once', async () => {
    const asked = Array.from({ length: 20 }, () =>
      acquireLease(database.db, { name: 'race', holderId: newId(), ttlMs: longMs }),
    )
    const got = (await Promise.all(asked)).filter((lease) => lease !== undefined)
    expect(got.map(({ epoch }) => epoch)).toEqual([1])
  })

  it('goes to the first of two processes that find it free at the same moment', async () => {
    const second = await inTransaction(database.db, async (tx) => {
      await acquireLease(tx, { name: 'first-come', holderId: newId(), ttlMs: longMs })
      const taking = acquireLease(database.db, { name: 'first-come', holderId: newId(), ttlMs: longMs })
      await vi.waitUntil(hasLockWaiter, within)
      return { taking }
    })
    expect(await second.taking).toBeUndefined()
  })

  it('can be requested without waiting for the transactions of its holder', async () => {
    const holder = await take('busy')
    await inTransaction(database.db, async (tx) => {
      await assertLease(tx, holder)
      await inTransaction(database.db, async (asking) => {
        const request = { name: 'busy', holderId: newId(), ttlMs: longMs }
        expect(await acquireLease(asking, request)).toBeUndefined()
        // A failed wait for a lock would have aborted this transaction.
        expect(await asking.query(sql`select 1 as answer`)).toEqual([{ answer: 1 }])
      })
    })
  })

  it('expires by the clock of the database, and a takeover increases the epoch', async () => {
    const first = await take('expiring', 50)
    await vi.waitUntil(
      () => acquireLease(database.db, { name: 'expiring', holderId: newId(), ttlMs: longMs }),
      within,
    )
    expect(await renewLease(database.db, first)).toBe(false)
    expect(await leaseRecords.all(database.db, { name: 'expiring' }, 'epoch')).toEqual([{ epoch: 2 }])
  })

  it('is kept by renewing', async () => {
    const first = await take('renewed', longMs)
    await expire('renewed')
    expect(await renewLease(database.db, first)).toBe(true)
    await expect(take('renewed')).rejects.toThrow('is held')
  })

  it('can be taken at once when released, and refuses writes of the former holder', async () => {
    const first = await take('released')
    await releaseLease(database.db, first)
    await expect(inTransaction(database.db, (tx) => assertLease(tx, first))).rejects.toThrow(LeaseLostError)
    const next = await take('released')
    expect(next.epoch).toBeGreaterThan(first.epoch)
    await releaseLease(database.db, first)
    await expect(take('released')).rejects.toThrow('is held')
  })

  it('stops a paused holder from committing after a takeover', async () => {
    const paused = await take('paused')
    await expire('paused')
    await take('paused')
    const late = inTransaction(database.db, async (tx) => {
      await devTokenRecords.add(tx, { network: 'late', symbol: 'X', contract: '0x1' })
      await assertLease(tx, paused)
    })
    await expect(late).rejects.toThrow(LeaseLostError)
    expect(await devTokenRecords.all(database.db, { network: 'late' })).toHaveLength(0)
  })

  it('makes a takeover wait for a transaction that has asserted it', async () => {
    const holder = await take('in-between', 1)
    const order: string[] = []
    const takenOver = await inTransaction(database.db, async (tx) => {
      await assertLease(tx, holder)
      await vi.waitUntil(() => isExpired('in-between'), within)
      const taking = take('in-between').finally(() => order.push('taken over'))
      await vi.waitUntil(hasLockWaiter, within)
      order.push('holder commits')
      return { taking }
    })
    expect((await takenOver.taking).epoch).toBe(holder.epoch + 1)
    expect(order).toEqual(['holder commits', 'taken over'])
  })

  it('can be renewed during an open transaction that has asserted it, so that the transaction may last longer than the lease', async () => {
    const holder = await take('long', longMs)
    await expire('long')
    await inTransaction(database.db, async (tx) => {
      await assertLease(tx, holder)
      expect(await renewLease(database.db, holder)).toBe(true)
      await expect(take('long')).rejects.toThrow('is held')
    })
  })

  it('cannot be taken over during an open transaction, even when it has expired', async () => {
    const holder = await take('expired-open', 1)
    await inTransaction(database.db, async (tx) => {
      await assertLease(tx, holder)
      await vi.waitUntil(() => isExpired('expired-open'), within)
      await inTransaction(database.db, async (asking) => {
        // The wait for the lock ends as in production, but sooner.
        await asking.query(sql`set local lock_timeout = '50ms'`)
        const request = { name: 'expired-open', holderId: newId(), ttlMs: longMs }
        expect(await acquireLease(asking, request)).toBeUndefined()
      })
    })
  })
})

describe('withLease', () => {
  const parts = (name: string, signal: AbortSignal, ttlMs = 300) => ({
    db: database.db,
    name,
    ttlMs,
    clock: systemClock,
    log: silentLog,
    signal,
  })

  it('runs one worker at a time and hands over when it stops', async () => {
    const stops = [new AbortController(), new AbortController()]
    const running = new Set<number>()
    const epochs: number[] = []
    let overlapped = false
    const loops = stops.map((stop, index) =>
      withLease(parts('loop', stop.signal), async (lease, signal) => {
        running.add(index)
        epochs.push(lease.epoch)
        overlapped ||= running.size > 1
        await systemClock.sleep(longMs, signal)
        running.delete(index)
      }),
    )
    await vi.waitUntil(() => epochs.length === 1, within)
    const first = [...running][0] ?? 0
    stops[first]?.abort()
    await loops[first]
    await vi.waitUntil(() => epochs.length === 2, within)
    for (const stop of stops) stop.abort()
    await Promise.all(loops)
    expect(running.size).toBe(0)
    expect(overlapped).toBe(false)
    await take('loop')
  })

  it('renews for as long as the work lasts', async () => {
    const stop = new AbortController()
    let epoch = 0
    // Shortens the pause between renewals, a third of the lease's life, to 10 ms.
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 10), signal),
    }
    const loop = withLease({ ...parts('renewing', stop.signal, longMs), clock }, async (lease, signal) => {
      epoch = lease.epoch
      await systemClock.sleep(longMs, signal)
    })
    await vi.waitUntil(() => epoch > 0, within)
    const ends = new Set<string>()
    await vi.waitUntil(async () => {
      await expect(take('renewing')).rejects.toThrow('is held')
      const rows = await database.db.query<{ end: string }>(sql`
        select expires_at::text as end from lease where name = 'renewing'`)
      for (const { end } of rows) ends.add(end)
      return ends.size > 3
    }, within)
    stop.abort()
    await loop
    expect(epoch).toBe(1)
  })

  it('aborts the work when the lease is taken over', async () => {
    const stop = new AbortController()
    let reason: unknown
    const loop = withLease(parts('stolen', stop.signal), async (_, signal) => {
      await leaseRecords.change(
        database.db,
        { name: 'stolen' },
        { holderId: newId(), epoch: plus(1), expiresAt: 'infinity' },
      )
      await systemClock.sleep(longMs, signal)
      reason = signal.reason
    })
    await vi.waitUntil(() => reason !== undefined, within)
    expect(reason).toBeInstanceOf(LeaseLostError)
    stop.abort()
    await loop
  })

  it('tries again after an error', async () => {
    const stop = new AbortController()
    let runs = 0
    await withLease(parts('throwing', stop.signal, 60), async () => {
      runs += 1
      if (runs === 2) stop.abort()
      throw new Error('planned')
    })
    expect(runs).toBe(2)
  })
})

async function hasLockWaiter(): Promise<boolean> {
  return (await countLockWaiters(database.db, 'insert into lease')) > 0
}

async function isExpired(name: string): Promise<boolean> {
  const rows = await database.db.query(sql`
    select from lease where name = ${name} and expires_at <= clock_timestamp()`)
  return rows.length > 0
}
