import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../client.ts'

/** Maximum time in seconds for which the server keeps a long poll open. */
const waitS = 25
const restMs = 5_000

/**
 * Keeps all pages of a merchant up to date. A long poll waits for the next event in the merchant's feed. Each
 * event makes the dashboard load the shown data again.
 */
export function useLiveEvents(merchantID: string): void {
  const queries = useQueryClient()
  useEffect(() => {
    const ending = new AbortController()
    void follow(merchantID, ending.signal, async () => {
      await queries.invalidateQueries()
    })
    return () => ending.abort()
  }, [merchantID, queries])
}

async function follow(merchantID: string, signal: AbortSignal, onNews: () => Promise<void>): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      if (after === undefined) {
        after = (await api.listEvents({ merchantID, after: 0, limit: 1, signal })).last
      } else {
        const { next, data, last } = await api.listEvents({ merchantID, after, limit: 100, waitS, signal })
        if (data.length > 0) await onNews()
        // After a restore of the database, the newest sequence number may be lower. Reading then continues
        // from that number.
        after = last < after ? last : next
      }
    } catch {
      await pause(restMs, signal)
    }
  }
}

/** Waits for `ms` milliseconds. If the signal is aborted, resolves at once, without an error. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
