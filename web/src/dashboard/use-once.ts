import { CofferError } from 'coffer-sdk'
import { useState } from 'react'

/** Makes a call under an Idempotency-Key of its own choice. */
export type Once = <I extends object, T>(call: (input: I & Keyed) => Promise<T>, input: I) => Promise<T>

interface Keyed {
  readonly idempotencyKey: string
}

/**
 * For what must not be done twice. Where an answer was lost nobody knows whether it was done; as long as the form or review that has
 * this hook is shown, the same request goes out under the same key, however often it is sent.
 */
export function useOnce(): Once {
  const [once] = useState(() => makeOnce())
  return once
}

/** A request that asks for anything else has a key of its own; so has one that comes after the last word on it. */
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
 * Whether under its key nothing was done and nothing will be: the server keeps such a refusal, and would tell it again when it
 * no longer holds. All others, such as that of a session that has ended, may stand between a lost answer and its repetition.
 */
function isLastWord(error: unknown): boolean {
  if (!(error instanceof CofferError) || ![409, 422].includes(error.status)) return false
  return error.code !== 'idempotency-in-progress' && error.code !== 'unreadable'
}
