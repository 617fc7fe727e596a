import { CofferError } from 'coffer-sdk'
import { useState } from 'react'

/** Makes a call with an Idempotency-Key that the `Once` function chooses. */
export type Once = <I extends object, T>(call: (input: I & Keyed) => Promise<T>, input: I) => Promise<T>

interface Keyed {
  readonly idempotencyKey: string
}

/**
 * Sends requests that must not take effect twice. If a response is lost, it is unknown whether the request
 * took effect. While the component with this hook is mounted, the same request is therefore always sent with
 * the same key.
 */
export function useOnce(): Once {
  const [once] = useState(() => makeOnce())
  return once
}

/** Returns a `Once` function. It uses a new key if the input changes, and after a final response. */
export function makeOnce(): Once {
  const keys = new Map<string, string>()
  return async (call, input) => {
    const asked = JSON.stringify(input)
    const idempotencyKey = keys.get(asked) ?? crypto.randomUUID()
    keys.set(asked, idempotencyKey)
    try {
      const answer = await call({ ...input, idempotencyKey })
      keys.delete(asked)
      return answer
    } catch (error) {
      if (isLastWord(error)) keys.delete(asked)
      throw error
    }
  }
}

/**
 * Returns whether an error is the final response for its idempotency key. The server stores such a response
 * and repeats it for the same key, even after the cause is gone, so a new attempt needs a new key. After any
 * other error, such as an expired session, the key is kept. An earlier request whose response was lost may
 * have succeeded, and a new key would repeat its effect.
 */
function isLastWord(error: unknown): boolean {
  if (!(error instanceof CofferError) || ![409, 422].includes(error.status)) return false
  return error.code !== 'idempotency-in-progress' && error.code !== 'unreadable'
}
