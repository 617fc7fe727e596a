/**
 * Writers beside a proof, in a process of their own: a proof keeps its process busy, which would be counted as a wait for the
 * database. Driven by `probe-waits.ts` over IPC.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isLockTimeout } from '../src/platform/db/transaction.ts'
import type { Probed, ProbeOrder } from './probe-waits.ts'

const stopped = new AbortController()

/** How long each round took, in milliseconds. */
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
