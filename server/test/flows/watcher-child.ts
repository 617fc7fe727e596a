/** A watcher in a process of its own; the tests start it in order to stop, pause or kill it. */
import { writeSync } from 'node:fs'
import type pg from 'pg'
import { networks } from '../../src/chains/networks.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Log } from '../../src/core/log.ts'
import { type Db, openDb } from '../../src/db/pool.ts'
import { feeDefaults } from '../../src/fees/fee.ts'
import { devPaymentMethods } from '../../src/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/payment-methods/payment-method.ts'
import { watchChain } from '../../src/watcher/watch-chain.ts'
import type { WatcherOrders } from '../support/watcher-orders.ts'

const orders: WatcherOrders = JSON.parse(process.env['WATCHER_ORDERS'] ?? '')

/** Written at once, since the process may be about to die. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const write = ({ err, ...fields }: Record<string, unknown>, message: string) =>
  say({ message, ...fields, ...(err instanceof Error && { error: err.name, reason: err.message }) })
const log: Log = { info: write, warn: write, error: write }

/**
 * The database, but the process sends itself a signal before the n-th statement of its transactions, counted from its
 * start; the moment after a commit counts as one more. If it goes on after that, it tells how the transaction ended.
 */
function interrupted(db: Db, { signal, beforeStatement }: NonNullable<WatcherOrders['interrupt']>): Db {
  let count = 0
  const step = (at: string) => {
    count += 1
    if (count !== beforeStatement) return
    say({ interruptedBefore: at })
    process.kill(process.pid, signal)
  }
  const tellEnd = (endedBy: string) => {
    if (count >= beforeStatement) say({ endedBy })
  }
  const connect = async () => {
    const client = await db.pool.connect()
    const query = async (statement: string | pg.QueryConfig) => {
      const text = typeof statement === 'string' ? statement : statement.text
      step((typeof statement === 'string' ? undefined : statement.name) ?? text.trim().slice(0, 40))
      if (text === 'rollback') tellEnd(text)
      const result = await client.query(statement)
      if (text === 'commit') {
        step('the answer to commit')
        tellEnd(text)
      }
      return result
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  return { ...db, pool: { connect } as unknown as pg.Pool }
}

const db = openDb({ url: orders.databaseUrl, log })
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
  db: orders.interrupt === undefined ? db : interrupted(db, orders.interrupt),
  chain,
  feeDefaults: feeDefaults.sandbox,
  methods: paymentMethods(devPaymentMethods(tokens), new Set(['ethereum'])),
  clock: systemClock,
  log,
  mayUndoFinal: true,
  pollMs: 50,
  signal: stop.signal,
})
await chain.close()
await db.close()
