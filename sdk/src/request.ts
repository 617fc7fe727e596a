/** Builds the request of a call from its input. */
import type { CallOptions } from './calls.ts'

export interface OperationShape {
  readonly method: string
  readonly path: string
  /** The names of the query parameters as in the contract. The names of lists end with `[]`. */
  readonly query: readonly string[]
  readonly isIdempotent: boolean
}

export interface CallInput extends CallOptions {
  readonly body?: unknown
  readonly [parameter: string]: unknown
}

/** Returns the path and query of a call, without the server's address. */
export function targetOf({ path, query }: OperationShape, input: CallInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(input[name] ?? '')
    if (text === '') throw new TypeError(`${name} is missing`)
    // A URL parser removes `.`, and it removes `..` together with the segment before it. The request would
    // then go to another path.
    if (text === '.' || text === '..') throw new TypeError(`${name} is not a valid path segment: ${text}`)
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

/** Returns whether sending a request for this operation twice has the same effect as sending it once. */
export function isRepeatable({ method, isIdempotent }: OperationShape): boolean {
  return isIdempotent || method === 'GET' || method === 'PUT'
}
