import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { eventsChannel } from '../outbox/store.ts'

export interface ListenParts {
  /** Straight to PostgreSQL: a pooler in transaction mode keeps no LISTEN. */
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Called soon after events were committed, at most once per `debounceMs`. */
  onEvents(): void
  readonly debounceMs?: number
}

const reconnectMs = 1_000

/**
 * Keeps one connection listening for new events until the signal aborts, and connects again when it is lost. It
 * only ends rests early: whatever it misses is found by the next poll.
 */
export async function listenForEvents(parts: ListenParts): Promise<void> {
  const { clock, log, signal } = parts
  while (!signal.aborted) {
    try {
      await listenOnce(parts)
    } catch (error) {
      log.warn({ err: error }, 'not listening for events, will connect again; polling goes on')
    }
    await clock.sleep(reconnectMs, signal)
  }
}

/** Resolves when the signal aborts, rejects when the connection cannot be made or is lost. */
async function listenOnce({ databaseUrl, signal, onEvents, debounceMs = 5 }: ListenParts): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'coffer-listen',
  })
  let timer: NodeJS.Timeout | undefined
  const wakeSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      onEvents()
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
    client.on('notification', wakeSoon)
    await client.connect()
    await client.query(`listen ${eventsChannel}`)
    // Events of the time without a connection.
    wakeSoon()
    if (!signal.aborted) await ended
  } finally {
    signal.removeEventListener('abort', leave)
    clearTimeout(timer)
    await client.end().catch(() => {})
  }
}
