/** From a call's input to the request that is sent. */
import type { CallOptions } from './calls.ts'

export interface OperationShape {
  readonly method: string
  readonly path: string
  /** Query parameters as the contract names them; lists end in `[]`. */
  readonly query: readonly string[]
  readonly isIdempotent: boolean
}

export interface CallInput extends CallOptions {
  readonly body?: unknown
  readonly [parameter: string]: unknown
}

/** Path and query of a call, without the server's address. */
export function targetOf({ path, query }: OperationShape, input: CallInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(input[name] ?? '')
    if (text === '') throw new TypeError(`${name} is missing`)
    // A URL drops these two together with what stands before them: the request would go to another path.
    if (text === '.' || text === '..') throw new TypeError(`${name} is no path segment: ${text}`)
    return encodeURIComponent(text)
  })
  const pairs = query.flatMap((name) => {
    const value = input[name.replace('[]', '')]
    const values = Array.isArray(value) ? value : [value]
    return values
      .filter((one) => one !== undefined && one !== null)
      .map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
  })
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

/** Whether sending it twice has the effect of sending it once. */
export function isRepeatable({ method, isIdempotent }: OperationShape): boolean {
  return isIdempotent || method === 'GET' || method === 'PUT'
}
