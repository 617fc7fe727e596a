/** Writers beside a proof, and what a migration does: how long they wait at the longest. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { tableLockTimeoutMs } from '../src/db/migrate.ts'
import { isLockTimeout } from '../src/db/transaction.ts'
import { type Measurement, spreadOf } from './measurement.ts'

const writeEveryMs = 50
/** A change of a table waits for whoever reads it, and all who come after wait for the change. */
const lockEveryMs = 2_000

const insert = `
  insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
  select gen_random_uuid(), id, 'onetime', '10', 1000000000, 1, '{1}' from merchant limit 1`

export function openProbes({
  appUrl,
  superuserUrl,
}: {
  readonly appUrl: string
  readonly superuserUrl: string
}): {
  stop(): Promise<readonly Measurement[]>
} {
  const stopped = new AbortController()
  // A writer that commits nothing waits for the same locks, and leaves the books as they were.
  const writes = repeat(appUrl, writeEveryMs, ['begin', insert, 'rollback'], stopped.signal)
  // As `coffer migrate` does: it gives up before anybody waits long for it, and comes again.
  const lock = [
    'begin',
    `set local lock_timeout = ${tableLockTimeoutMs}`,
    'lock table invoice in access exclusive mode',
    'rollback',
  ]
  const locks = repeat(superuserUrl, lockEveryMs, lock, stopped.signal)
  const stop = async () => {
    stopped.abort()
    return [
      toldOf('the longest wait of a writer beside it and beside locks', await writes, 100),
      toldOf('the longest wait of a lock on all invoices, given or not', await locks),
    ]
  }
  return { stop }
}

function toldOf(bar: string, tookMs: readonly number[], atMost?: number): Measurement {
  return {
    ...{ bar, measured: Math.max(...tookMs), unit: 'ms', remark: spreadOf(tookMs, 'ms') },
    ...(atMost !== undefined && { must: { atMost } }),
  }
}

/** How long each round took, in milliseconds. */
async function repeat(
  url: string,
  everyMs: number,
  statements: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'coffer bench probe' })
  await client.connect()
  const tookMs: number[] = []
  while (!signal.aborted) {
    const beganMs = performance.now()
    for (const statement of statements)
      await client.query(statement).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error
      })
    tookMs.push(performance.now() - beganMs)
    await sleep(everyMs)
  }
  await client.end()
  return tookMs
}
