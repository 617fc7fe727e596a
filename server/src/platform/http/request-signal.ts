import type { ServerResponse } from 'node:http'
import { linkSignal } from '../../core/concurrency/linked-signal.ts'

/**
 * Returns a signal that aborts when the client disconnects, when the request is answered, or when the server
 * stops.
 */
export function requestSignal(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const { signal, end } = linkSignal([stopping])
  if (response.destroyed || response.writableEnded) end()
  else response.once('close', end)
  return signal
}
