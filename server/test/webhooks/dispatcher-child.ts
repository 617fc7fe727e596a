/**
 * Runs a dispatcher in a process of its own, which is killed at a statement. It ends when nothing is left to
 * do.
 */
import { systemClock } from '../../src/core/clock.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { openGuardedAgent } from '../../src/webhooks/guarded-agent.ts'
import { saidLog as log, say } from '../support/child-log.ts'
import { type Interrupt, interrupted } from '../support/interrupted.ts'

/** The start parameters of the process. */
export interface DispatcherOrders {
  readonly databaseUrl: string
  /** The key that encrypts the secrets of webhooks, in hex. */
  readonly encryptionKey: string
  readonly interrupt: Interrupt
}

const orders: DispatcherOrders = JSON.parse(process.env['DISPATCHER_ORDERS'] ?? '')

const db = openDb({ url: orders.databaseUrl, log })
const agent = openGuardedAgent({
  rules: { allowHttp: true, allowPrivate: true, ownPort: undefined, ownHosts: [] },
})
const sealer = openSealer(new Secret(orders.encryptionKey))
const dispatcher = new Dispatcher({
  db: interrupted(db, orders.interrupt, say),
  agent,
  log,
  clock: systemClock,
  serviceName: 'Service',
  openSecret: (sealed, merchantId) => sealer.open(sealed, webhookSecretContext(merchantId)),
  random: Math.random,
})
while ((await dispatcher.runBatch(new AbortController().signal)) > 0);
await dispatcher.close()
await Promise.all([agent.close(), db.close()])
