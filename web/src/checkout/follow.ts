import { tell, tellNothing } from './notice.ts'
import type { Status } from './status.ts'

export interface Followed {
  readonly path: string
  readonly query: string
  /** What the page shows. */
  version(): string
}

export interface Live {
  /** Asks once, now, for all that is shown: something may have changed, be it the time left alone. */
  ask(): void
}

const pollMs = 3_000
const retryStreamMs = 30_000
/** A connection that is back sooner was not missed. */
const patienceMs = 4_000

/**
 * Follows the page's events; where there can be no stream (too many, a proxy that lets none through) it asks every few
 * seconds, and tries the stream again now and then.
 */
export function follow(page: Followed, onStatus: (status: Status) => void): Live {
  let polling: ReturnType<typeof setInterval> | undefined
  let missed: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  /** What was asked for before the last event is older than what that told. */
  let events = 0
  const ask = async (known?: string) => {
    const asked = events
    try {
      const status = await readStatus(page, known)
      if (status !== undefined && events === asked) onStatus(status)
      tellNothing('offline')
    } catch {
      if (polling !== undefined) tell('offline')
    }
  }
  const open = () => {
    source = new EventSource(`${page.path}/events?${page.query}`)
    source.onopen = () => {
      clearTimeout(missed)
      clearInterval(polling)
      polling = undefined
      tellNothing('offline')
    }
    source.onmessage = ({ data }: MessageEvent<string>) => {
      events++
      onStatus(JSON.parse(data) as Status)
    }
    source.onerror = () => {
      clearTimeout(missed)
      missed = setTimeout(() => tell('offline'), patienceMs)
      if (source?.readyState !== EventSource.CLOSED) return
      clearTimeout(missed)
      polling ??= setInterval(() => void ask(page.version()), pollMs)
      reopening = setTimeout(open, retryStreamMs)
    }
  }
  open()
  // A phone that slept may have missed the end of its connection.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void ask())
  addEventListener('online', () => void ask())
  // A page that the browser keeps for the way back is kept without its connection.
  addEventListener('pagehide', () => {
    clearTimeout(reopening)
    clearTimeout(missed)
    source?.close()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    open()
    void ask()
  })
  return { ask: () => void ask() }
}

/** @returns undefined where it is what is known already */
async function readStatus({ path, query }: Followed, known?: string): Promise<Status | undefined> {
  const response = await fetch(`${path}/status?${query}`, {
    headers: known === undefined ? {} : { 'if-none-match': `"${known}"` },
    cache: 'no-store',
  })
  if (response.status === 304) return undefined
  // The invoice is gone; the page says so.
  if (response.status === 404) location.reload()
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Status
}
