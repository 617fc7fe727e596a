import { announce, clearNotice } from './notice.ts'
import type { Status } from './status.ts'

export interface Followed {
  readonly path: string
  readonly query: string
  /** Returns the version that the page shows. */
  version(): string
}

export interface Live {
  /**
   * Requests the whole status once. It is requested even if its version is unchanged, because the time left
   * may differ.
   */
  ask(): void
}

const pollMs = 3_000
const retryStreamMs = 30_000
/** A lost connection is reported only if it is not restored within this time. */
const patienceMs = 4_000

/**
 * Follows the event stream of the page. If no stream is possible (too many are open, or a proxy blocks it),
 * it polls every 3 seconds and retries the stream every 30 seconds.
 */
export function follow(page: Followed, onStatus: (status: Status) => void): Live {
  let polling: ReturnType<typeof setInterval> | undefined
  let missed: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  /** The number of events so far. A response is outdated if an event arrived after its request. */
  let events = 0
  const ask = async (known?: string) => {
    const asked = events
    try {
      const status = await readStatus(page, known)
      if (status !== undefined && events === asked) onStatus(status)
      clearNotice('offline')
    } catch {
      if (polling !== undefined) announce('offline')
    }
  }
  const forgive = () => {
    clearTimeout(missed)
    missed = undefined
  }
  const open = () => {
    source = new EventSource(`${page.path}/events?${page.query}`)
    source.onopen = () => {
      forgive()
      clearInterval(polling)
      polling = undefined
      clearNotice('offline')
    }
    source.onmessage = ({ data }: MessageEvent<string>) => {
      events++
      onStatus(JSON.parse(data) as Status)
    }
    source.onerror = () => {
      // The browser reports each failed attempt to reconnect as another error. Only the first one starts the
      // timer.
      missed ??= setTimeout(() => {
        missed = undefined
        announce('offline')
      }, patienceMs)
      if (source?.readyState !== EventSource.CLOSED) return
      forgive()
      polling ??= setInterval(() => void ask(page.version()), pollMs)
      reopening = setTimeout(open, retryStreamMs)
    }
  }
  open()
  // A phone that was asleep may not have noticed that its connection ended.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void ask())
  addEventListener('online', () => void ask())
  // A page in the back-forward cache must not keep its connection.
  addEventListener('pagehide', () => {
    clearTimeout(reopening)
    forgive()
    source?.close()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    open()
    void ask()
  })
  return { ask: () => void ask() }
}

/**
 * Reads the status of the page.
 * @returns undefined if the version `known` is still current
 */
async function readStatus({ path, query }: Followed, known?: string): Promise<Status | undefined> {
  const response = await fetch(`${path}/status?${query}`, {
    headers: known === undefined ? {} : { 'if-none-match': `"${known}"` },
    cache: 'no-store',
  })
  if (response.status === 304) return undefined
  // The invoice no longer exists; the reloaded page says so.
  if (response.status === 404) location.reload()
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Status
}
