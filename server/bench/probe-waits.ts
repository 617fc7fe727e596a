/**
 * Measures the longest time that statements wait during a proof of the books. Some of the statements write,
 * and others lock tables as a migration does.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tableLockTimeoutMs } from '../src/platform/db/migrate.ts'
import { type Measurement, spreadOf } from './measurement.ts'

const writeEveryMs = 50
/**
 * Interval between attempts to lock a table. An attempt waits for all current readers of the table, and later
 * statements wait for the attempt. Frequent attempts would therefore delay the writers.
 */
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

/** The durations of the rounds in milliseconds, for each `ProbeOrder`. */
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
  // A writer that rolls back waits for the same locks and does not change the books.
  const writes = { url: appUrl, everyMs: writeEveryMs, statements: ['begin', insert, 'rollback'] }
  // The lock is requested in the same way as by `coffer migrate`: repeatedly, and with a short timeout, so
  // that other statements do not wait long.
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
