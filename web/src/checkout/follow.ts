import { tell, tellNothing } from './notice.ts'
import type { Status } from './status.ts'

export interface Followed {
  readonly path: string
  readonly query: string
  /** What the page shows. */
  version(): string
}

export interface Live {
  /** Asks once, now: something is known to have changed. */
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
  const ask = async () => {
    try {
      const status = await readStatus(page)
      if (status !== undefined) onStatus(status)
      if (polling !== undefined) tellNothing('offline')
    } catch {
      if (polling !== undefined) tell('offline')
    }
  }
  const open = () => {
    const source = new EventSource(`${page.path}/events?${page.query}`)
    source.onopen = () => {
      clearTimeout(missed)
      clearInterval(polling)
      polling = undefined
      tellNothing('offline')
    }
    source.onmessage = ({ data }: MessageEvent<string>) => onStatus(JSON.parse(data) as Status)
    source.onerror = () => {
      clearTimeout(missed)
      missed = setTimeout(() => tell('offline'), patienceMs)
      if (source.readyState !== EventSource.CLOSED) return
      clearTimeout(missed)
      polling ??= setInterval(ask, pollMs)
      setTimeout(open, retryStreamMs)
    }
  }
  open()
  // A phone that slept may have missed the end of its connection.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void ask())
  return { ask: () => void ask() }
}

/** Undefined where nothing is new. */
async function readStatus({ path, query, version }: Followed): Promise<Status | undefined> {
  const response = await fetch(`${path}/status?${query}`, {
    headers: { 'if-none-match': `"${version()}"` },
    cache: 'no-store',
  })
  if (response.status === 304) return undefined
  // The invoice is gone; the page says so.
  if (response.status === 404) location.reload()
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Status
}
