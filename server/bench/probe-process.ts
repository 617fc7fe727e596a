/**
 * Runs writers during a proof of the books, in a separate process. The proof keeps its own process busy. A
 * writer in that process would be delayed, and the delay would be measured as a wait for the database.
 * `probe-waits.ts` controls this process over IPC.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isLockTimeout } from '../src/platform/db/transaction.ts'
import type { Probed, ProbeOrder } from './probe-waits.ts'

const stopped = new AbortController()

/** Repeats the statements and returns the duration of each round in milliseconds. */
async function repeat({ url, everyMs, statements }: ProbeOrder): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'coffer bench probe' })
  await client.connect()
  const tookMs: number[] = []
  while (!stopped.signal.aborted) {
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

process.once('message', async (orders: readonly ProbeOrder[]) => {
  const probes = orders.map(repeat)
  process.once('message', () => stopped.abort())
  const probed: Probed = await Promise.all(probes)
  process.send?.(probed)
  process.disconnect()
})
