import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../client.ts'

/** As long as the server keeps a question open. */
const waitS = 25
const restMs = 5_000

/**
 * Keeps every page of a merchant live: one question waits for the next event of its feed, and whatever is shown is asked
 * for anew when there is one.
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
        // After a restore of the server numbers begin lower: go on from there.
        after = last < after ? last : next
      }
    } catch {
      await pause(restMs, signal)
    }
  }
}

/** Ends early, without a fault, when there is nobody left to wait. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
