/**
 * Tests a dispatcher whose database is unavailable for moments: deliveries in progress are neither lost nor
 * delayed.
 */
import { expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { useDatabase } from '../support/database.ts'
import { failingStatements } from '../support/failing-statements.ts'
import { openMerchantServer } from '../support/merchant-server.ts'
import { deliveryOf, emitEvents, merchantAt, startDispatching } from './dispatching.ts'

const database = useDatabase()

/**
 * Returns a database that is unavailable for the first `times` statements of that name, and counts how often
 * it was queried.
 */
function awayFor(named: string, times: number) {
  const asked = { times: 0 }
  const db = failingStatements(database.db, (name) => {
    if (name !== named) return false
    asked.times += 1
    return asked.times <= times
  })
  return { db, asked }
}

it('claims nothing that it cannot send: a delivery that a lost connection kept it from reading is soon claimed again', async () => {
  const server = await openMerchantServer()
  const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
  const { db, asked } = awayFor('webhooks_load_endpoints', 1)
  startDispatching(db)
  await vi.waitFor(async () => expect((await deliveryOf(database.db, id)).state).toBe('delivered'), 5_000)
  expect(asked.times).toBe(2)
})

it('keeps results that cannot be stored, and sends no delivery twice because of it', async () => {
  const server = await openMerchantServer()
  const ids = await emitEvents(database.db, await merchantAt(database.db, server.url), 3)
  const { db, asked } = awayFor('webhooks_save_results', 1)
  startDispatching(db)
  await vi.waitFor(async () => {
    for (const id of ids) {
      const row = await deliveryOf(database.db, id)
      expect(row).toMatchObject({ state: 'delivered', attempts: 1, tried: [{ status: 200 }] })
    }
  }, 5_000)
  expect(server.calls).toHaveLength(ids.length)
  expect(asked.times).toBeGreaterThan(1)
})

it('ends in time if the database stays unavailable, without querying it more often than before', async () => {
  const server = await openMerchantServer()
  await emitEvents(database.db, await merchantAt(database.db, server.url))
  const { db, asked } = awayFor('webhooks_save_results', Number.POSITIVE_INFINITY)
  const restsMs: number[] = []
  const clock: Clock = {
    now: () => new Date(),
    sleep: (ms, signal) => {
      restsMs.push(ms)
      return systemClock.sleep(ms, signal)
    },
  }
  const { stop } = startDispatching(db, { parts: { clock } })
  await vi.waitFor(() => expect(asked.times).toBe(1), 5_000)
  await stop(600)
  const retryMs = 500
  const drainsMs = restsMs.filter((ms) => ms !== retryMs)
  expect(drainsMs.length).toBeGreaterThan(0)
  // Half of the time to stop is for attempts to end, and half for storing their results.
  expect(Math.max(...drainsMs)).toBeLessThanOrEqual(300)
  expect(asked.times, 'once before each rest').toBeLessThanOrEqual(restsMs.length - drainsMs.length)
  expect(asked.times).toBeLessThan(5)
})
