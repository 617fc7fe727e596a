/** A client of the API, as a merchant's program would write one: only HTTP and JSON. */
import { withinTime } from '../core/concurrency/linked-signal.ts'
export type Json = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly token?: string
  readonly key?: string
  readonly body?: Json
}

export interface Client {
  /**
   * Calls the API and returns the JSON of the response. If the status is not `expectedStatus`, rejects with
   * the API's error message.
   */
  call(expectedStatus: number, method: string, path: string, options?: CallOptions): Promise<unknown>
}

const callTimeoutMs = 10_000

/** @param url the base URL of Coffer without a trailing slash */
export function openClient(url: string, signal: AbortSignal): Client {
  return {
    async call(expectedStatus, method, path, { token, key, body } = {}) {
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const { status, text } = await withinTime([signal], callTimeoutMs, async (bounded) => {
        const response = await fetch(`${url}${path}`, { ...sent, signal: bounded })
        return { status: response.status, text: await response.text() }
      })
      if (status === expectedStatus) return text === '' ? undefined : JSON.parse(text)
      throw new Error(`${method} ${path} answered ${status}, not ${expectedStatus}: ${detailOf(text)}`)
    },
  }
}

/** Returns the field `name` of a response. @throws Error if the field is not a string */
export function textOf(answer: unknown, name: string): string {
  const value = isJson(answer) ? answer[name] : undefined
  if (typeof value === 'string') return value
  throw new Error(`a response has no string field "${name}": ${JSON.stringify(answer)}`)
}

/**
 * Returns the first element of a list in which the field `name` has this value.
 * @throws Error if the response is not a list or has no such element
 */
export function findBy(answer: unknown, name: string, value: unknown): Json {
  const found = Array.isArray(answer)
    ? answer.find((one): one is Json => isJson(one) && one[name] === value)
    : undefined
  if (found !== undefined) return found
  throw new Error(`a response has no entry with ${name} ${String(value)}: ${JSON.stringify(answer)}`)
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function detailOf(text: string): string {
  try {
    return textOf(JSON.parse(text), 'detail')
  } catch {
    return text.slice(0, 200)
  }
}
