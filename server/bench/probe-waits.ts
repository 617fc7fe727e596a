/** Measures how long writers and the locks of a migration wait at most during a proof. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tableLockTimeoutMs } from '../src/platform/db/migrate.ts'
import { type Measurement, spreadOf } from './measurement.ts'

const writeEveryMs = 50
/** A change of a table waits for its readers, and all later statements wait for the change. */
const lockEveryMs = 2_000

const insert = `
  insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
  select gen_random_uuid(), id, 'onetime', '10', 1000000000, 1, '{1}' from merchant limit 1`

/** Statements that the probe process repeats until it is stopped. */
export interface ProbeOrder {
  readonly url: string
  readonly everyMs: number
  readonly statements: readonly string[]
}

/** How long each round took, in milliseconds, by order. */
export type Probed = readonly (readonly number[])[]

export interface Probes {
  stop(): Promise<readonly Measurement[]>
}

export function openProbes({
  appUrl,
  superuserUrl,
}: {
  readonly appUrl: string
  readonly superuserUrl: string
}): Probes {
  // A writer that rolls back waits for the same locks, and leaves the books as they were.
  const writes = { url: appUrl, everyMs: writeEveryMs, statements: ['begin', insert, 'rollback'] }
  // Locks as `coffer migrate` does: it gives up before others wait long for it, and tries again.
  const lock = [
    'begin',
    `set local lock_timeout = ${tableLockTimeoutMs}`,
    'lock table invoice in access exclusive mode',
    'rollback',
  ]
  const locks = { url: superuserUrl, everyMs: lockEveryMs, statements: lock }
  const child = fork(fileURLToPath(new URL('./probe-process.js', import.meta.url)))
  const orders: readonly ProbeOrder[] = [writes, locks]
  child.send(orders)
  const stop = async () => {
    const message = once(child, 'message')
    child.send('stop')
    const [[written = [], locked = []]] = (await message) as [Probed]
    return [
      measurementOf('the longest wait of a concurrent writer, with locks held', written, 100),
      measurementOf('the longest wait of a lock on all invoices, granted or not', locked),
    ]
  }
  return { stop }
}

function measurementOf(bar: string, tookMs: readonly number[], atMost?: number): Measurement {
  return {
    bar,
    measured: Math.max(...tookMs),
    unit: 'ms',
    remark: spreadOf(tookMs, 'ms'),
    ...(atMost !== undefined && { must: { atMost } }),
  }
}
