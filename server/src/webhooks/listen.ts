import pg from 'pg'
import { type Clock, startTimer, type Timer } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { eventsChannel } from '../platform/outbox/store.ts'

export interface ListenParts {
  /** URL for a direct connection to PostgreSQL. A pooler in transaction mode would lose the LISTEN. */
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Called after events were committed, at most once in `debounceMs` milliseconds. */
  onEvents(): void
  readonly debounceMs?: number
}

const reconnectMs = 1_000

/**
 * Listens for new events on one connection until the signal aborts, and reconnects if the connection is lost.
 * Notifications only end idle waits early. If a notification is missed, the next poll finds its event.
 */
export async function listenForEvents(parts: ListenParts): Promise<void> {
  const { clock, log, signal } = parts
  while (!signal.aborted) {
    try {
      await listenOnce(parts)
    } catch (error) {
      log.warn({ err: error }, 'not listening for events, will connect again; polling continues')
    }
    await clock.sleep(reconnectMs, signal)
  }
}

/** The promise resolves when the signal aborts. It rejects if the connection cannot be made or is lost. */
async function listenOnce({ databaseUrl, signal, onEvents, debounceMs = 5 }: ListenParts): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    // The connection sends no queries, so only TCP keepalive can detect that the peer is gone.
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    application_name: 'coffer-listen',
  })
  let timer: Timer | undefined
  let isDueAgain = false
  // The first event calls `onEvents` at once. All events during the next `debounceMs` together cause one more
  // call.
  const wakeOrBatch = () => {
    isDueAgain = timer !== undefined
    if (isDueAgain) return
    onEvents()
    timer = startTimer(() => {
      timer = undefined
      if (isDueAgain) wakeOrBatch()
    }, debounceMs)
  }
  let leave = () => {}
  const ended = new Promise<void>((resolve, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the connection ended')))
    leave = resolve
    signal.addEventListener('abort', leave, { once: true })
  })
  ended.catch(() => {})
  try {
    client.on('notification', wakeOrBatch)
    await client.connect()
    await client.query(`listen ${eventsChannel}`)
    // Events may have been committed while there was no connection.
    wakeOrBatch()
    if (!signal.aborted) await ended
  } finally {
    signal.removeEventListener('abort', leave)
    timer?.cancel()
    await client.end().catch(() => {})
  }
}
