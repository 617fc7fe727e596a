/** A watcher in a process of its own, which tests start in order to stop, pause or kill it. */
import { networks } from '../../src/chains/networks.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { systemClock } from '../../src/core/clock.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { feeDefaults } from '../../src/pricing/fees/fee.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { watchChain } from '../../src/watcher/watch-chain.ts'
import { testMacs } from '../support/books-macs.ts'
import { saidLog as log, say } from '../support/child-log.ts'
import { interrupted } from '../support/interrupted.ts'
import type { WatcherOrders } from '../support/watcher-orders.ts'

const orders: WatcherOrders = JSON.parse(process.env['WATCHER_ORDERS'] ?? '')

const db = openDb({ url: orders.databaseUrl, log, macs: testMacs })
const chain = openChain({
  network: { ...networks.ethereum, chainId: 31337 },
  urls: [orders.nodeUrl],
  log,
})
const tokens = Object.entries(orders.tokens).map(([symbol, contract]) => ({
  network: 'ethereum',
  symbol,
  contract,
}))
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

await watchChain({
  db: orders.interrupt === undefined ? db : interrupted(db, orders.interrupt, say),
  chain,
  feeDefaults: feeDefaults.sandbox,
  methods: paymentMethods(devPaymentMethods(tokens), new Set(['ethereum'])),
  clock: systemClock,
  log,
  mayUndoFinal: true,
  pollMs: 50,
  rowSerialOn: () => 0,
  signal: stop.signal,
})
await chain.close()
await db.close()
