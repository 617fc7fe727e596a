import type { ServerResponse } from 'node:http'
import { linkSignal } from '../../core/concurrency/linked-signal.ts'

/** Aborts when the client is gone, when it was answered, and when the server stops. */
export function requestSignal(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const over = new AbortController()
  const { signal, release } = linkSignal([over.signal, stopping])
  const end = () => {
    over.abort()
    release()
  }
  if (response.destroyed || response.writableEnded) end()
  else response.once('close', end)
  return signal
}
