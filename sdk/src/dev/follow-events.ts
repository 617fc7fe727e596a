/** A merchant's events, read from the feed one after the other for as long as anybody wants them. */
import type { Client } from '../client.ts'
import { CofferError } from '../coffer-error.ts'
import type { CofferEvent } from '../event.ts'
import { pause } from '../pause.ts'
import { isPassing } from './remedy.ts'

export interface FeedOptions {
  readonly coffer: Client
  readonly merchantID: string
  /** Called when the server is gone, and when it is back. */
  readonly onLost: (error: CofferError) => void
  readonly onBack: () => void
  readonly signal: AbortSignal
  /** Between two questions that brought nothing, and the first time after a failure. */
  readonly restMs?: number
}

/** How long the server may keep a question that it has no answer to yet. */
const waitS = 25
const restMsMax = 10_000

/** Every event after that sequence, in order and once, over any number of lost connections. */
export async function* followEvents(options: FeedOptions, after: number): AsyncGenerator<CofferEvent, never> {
  const { onLost, onBack, signal, restMs = 1_000 } = options
  const read = feedReader(options)
  let failures = 0
  for (let last = after; ; ) {
    const askedAt = performance.now()
    const page = await read(last).catch((error: unknown) => {
      if (!(error instanceof CofferError && isPassing(error))) throw error
      if (failures === 0) onLost(error)
      return error
    })
    if (page instanceof CofferError) {
      failures += 1
      await pause(Math.max((page.retryAfterS ?? 0) * 1_000, Math.min(restMsMax, restMs * failures)), signal)
      continue
    }
    if (failures > 0) onBack()
    failures = 0
    for (const event of page.data) {
      yield event
      last = event.sequence
    }
    // A server that does not wait answers at once: it is not asked again at once.
    if (page.data.length === 0) await pause(Math.max(0, restMs - (performance.now() - askedAt)), signal)
  }
}

/** Asks the server to wait for events; one that cannot says so, and is then asked without. */
function feedReader({ coffer, merchantID, signal }: FeedOptions) {
  let canWait = true
  const ask = (after: number) =>
    coffer.listEvents({ merchantID, after, limit: 100, signal, ...(canWait ? { waitS } : {}) })
  return async (after: number) => {
    try {
      return await ask(after)
    } catch (error) {
      if (!(canWait && error instanceof CofferError && error.status === 400)) throw error
      canWait = false
      return ask(after)
    }
  }
}
