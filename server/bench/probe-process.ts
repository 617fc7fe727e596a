/**
 * Writers that run during a proof, in a process of their own. A proof keeps its own process busy, which would
 * count as a wait for the database. `probe-waits.ts` drives this process over IPC.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isLockTimeout } from '../src/platform/db/transaction.ts'
import type { Probed, ProbeOrder } from './probe-waits.ts'

const stopped = new AbortController()

/** Repeats the statements and returns how long each round took, in milliseconds. */
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
