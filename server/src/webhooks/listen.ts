import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { eventsChannel } from '../platform/outbox/store.ts'

export interface ListenParts {
  /** Straight to PostgreSQL: a pooler in transaction mode keeps no LISTEN. */
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Called as events were committed, at most once per `debounceMs`. */
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
    // It sends nothing, so that the kernel alone can notice that nobody is there any more.
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    application_name: 'coffer-listen',
  })
  let timer: NodeJS.Timeout | undefined
  let isDueAgain = false
  // At once, so that a lone event does not wait; what comes right after it is told of together.
  const wakeOrGather = () => {
    isDueAgain = timer !== undefined
    if (isDueAgain) return
    onEvents()
    timer = setTimeout(() => {
      timer = undefined
      if (isDueAgain) wakeOrGather()
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
    client.on('notification', wakeOrGather)
    await client.connect()
    await client.query(`listen ${eventsChannel}`)
    // Events of the time without a connection.
    wakeOrGather()
    if (!signal.aborted) await ended
  } finally {
    signal.removeEventListener('abort', leave)
    clearTimeout(timer)
    await client.end().catch(() => {})
  }
}
