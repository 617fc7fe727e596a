/**
 * Tests a dispatcher that dies at each moment at which it could lose an event, and the next one that
 * continues.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { useChildScript } from '../support/child-script.ts'
import { useDatabase } from '../support/database.ts'
import { type MerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { fromNow, present } from '../support/records/values.ts'
import { deliveryRecords } from '../support/webhooks/records.ts'
import type { DispatcherOrders } from './dispatcher-child.ts'
import {
  deliveryOf,
  emitEvents,
  encryptionKey,
  makeDue,
  merchantAt,
  startDispatching,
} from './dispatching.ts'

const database = useDatabase()
const script = useChildScript(new URL('./dispatcher-child.ts', import.meta.url))
let server: MerchantServer

beforeAll(async () => {
  server = await startMerchantServer()
})
afterAll(() => server.close())

async function runUntil(interrupt: DispatcherOrders['interrupt']): Promise<void> {
  const orders: DispatcherOrders = { databaseUrl: database.urls.app, encryptionKey, interrupt }
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, DISPATCHER_ORDERS: JSON.stringify(orders) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = await once(child, 'exit')
  expect(signal, 'what ended it').toBe('SIGKILL')
}

const claim = 'webhooks_claim_locked'
const record = 'webhooks_save_results'

it.each([
  ['before it commits its claim', 200, [claim, 'uncommitted'], 0, { isClaimed: false, attempts: 0 }],
  ['with its claim, before it sends', 200, [claim, 'committed'], 0, { isClaimed: true, attempts: 0 }],
  ['after it was taken, before it writes so', 200, [record, 'before'], 1, { isClaimed: true, attempts: 0 }],
  ['before it commits a failure', 500, [record, 'uncommitted'], 1, { isClaimed: true, attempts: 0 }],
  ['after it has committed a failure', 500, [record, 'committed'], 1, { isClaimed: false, attempts: 1 }],
] as const)(
  'F12 leaves the event to be sent again, with the same id and bytes, if it is killed %s',
  async (_, answer, [named, when], calls, left) => {
    server.answer(status(answer))
    const before = server.calls.length
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    await runUntil({ signal: 'SIGKILL', named, when })
    expect(await deliveryOf(database.db, id)).toMatchObject({ state: 'pending', ...left })
    expect(server.calls.length - before).toBe(calls)
    server.answer(status(200))
    await goOn(id)
    const all = server.calls.slice(before)
    expect(all).toHaveLength(calls + 1)
    const { eventId, body } = await deliveryOf(database.db, id)
    for (const call of all) {
      expect([call.headers['webhook-id'], call.body.toString('utf8')]).toEqual([eventId, body])
    }
  },
)

it('F12 leaves nothing to be sent again if it is killed after it has committed a success', async () => {
  server.answer(status(200))
  const before = server.calls.length
  const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
  await runUntil({ signal: 'SIGKILL', named: record, when: 'committed' })
  expect(await deliveryOf(database.db, id)).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(server.calls.length - before).toBe(1)
})

/**
 * Ends the claims of the dead dispatcher and the pause before the next attempt, so that the test need not
 * wait.
 */
async function goOn(id: string | undefined): Promise<void> {
  await deliveryRecords.change(database.db, { id, claimedUntil: present }, { claimedUntil: fromNow('-1 ms') })
  await makeDue(database.db, id)
  startDispatching(database.db)
  await vi.waitFor(async () => expect((await deliveryOf(database.db, id)).state).toBe('delivered'), 10_000)
}
