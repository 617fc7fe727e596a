import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { listenForEvents } from '../../src/webhooks/listen.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { emitEvents } from './dispatching.ts'

const database = useDatabase()

function startListening(onEvents: () => void): void {
  const ending = new AbortController()
  const listening = listenForEvents({
    databaseUrl: database.urls.app,
    clock: systemClock,
    log: silentLog,
    signal: ending.signal,
    onEvents,
  })
  onTestFinished(() => {
    ending.abort()
    return listening
  })
}

async function endListeners(): Promise<number> {
  const client = new pg.Client({ connectionString: database.urls.superuser })
  await client.connect()
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'coffer-listen' and datname = current_database()`,
  )
  await client.end()
  return rowCount ?? 0
}

it('is notified of committed events, of many at once as one, and again after its connection was lost', async () => {
  const merchantId = await addMerchant(database.db)
  const heard = vi.fn()
  startListening(heard)
  await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), 5_000)
  await emitEvents(database.db, merchantId, 100)
  await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2), 5_000)
  expect(await endListeners()).toBe(1)
  await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(3), 10_000)
  await emitEvents(database.db, merchantId)
  await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(4), 5_000)
})
