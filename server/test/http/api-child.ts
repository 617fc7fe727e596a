/** An API in a process of its own, which tests start to work beside another one, and to die. */
import { writeSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { openDb, type Queryable } from '../../src/platform/db/pool.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import { testMacs } from '../support/books-macs.ts'
import { people } from '../support/made-people.ts'
import { effectRoute } from './effect-route.ts'

export interface ApiOrders {
  readonly databaseUrl: string
  readonly encryptionKey: string
  /**
   * The process kills itself before the statement with this number, counted from 1. If the number is one
   * higher than the number of statements, the process kills itself after the last statement.
   */
  readonly dieAt?: number
}

const orders: ApiOrders = JSON.parse(process.env['API_ORDERS'] ?? '')
const { dieAt = Number.POSITIVE_INFINITY } = orders

/** Kills the whole process at once at the chosen statement, as a power cut does. */
function step(index: number): void {
  if (index >= dieAt) process.kill(process.pid, 'SIGKILL')
}

const pool = openDb({ url: orders.databaseUrl, log: silentLog, macs: testMacs })
let count = 0
const db: Queryable = {
  query: async (statement) => {
    count += 1
    step(count)
    const rows = await pool.query<never>(statement)
    step(count + 1)
    return rows
  },
}

const app = buildServer({
  routes: [effectRoute(db)],
  authenticator: people,
  log: silentLog,
  publicUrl: 'https://pay.example',
  idempotency: { db, clock: systemClock, sealer: openSealer(new Secret(orders.encryptionKey)) },
})
await app.listen({ host: '127.0.0.1', port: 0 })
writeSync(1, `${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`)
