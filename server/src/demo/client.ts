/** Coffer as a merchant's program sees it: HTTP and JSON, nothing else. */
export type Json = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly token?: string
  readonly key?: string
  readonly body?: Json
}

export interface Client {
  /** Calls the API and returns the JSON of its answer; rejects with what the API said when the status is another. */
  call(expectedStatus: number, method: string, path: string, options?: CallOptions): Promise<unknown>
}

const callTimeoutMs = 10_000

/** @param url where Coffer is reached, without a trailing slash */
export function openClient(url: string, signal: AbortSignal): Client {
  return {
    async call(expectedStatus, method, path, { token, key, body } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
      })
      const text = await response.text()
      if (response.status === expectedStatus) return text === '' ? undefined : JSON.parse(text)
      throw new Error(
        `${method} ${path} answered ${response.status}, not ${expectedStatus}: ${detailOf(text)}`,
      )
    },
  }
}

/** The field `name` of an answer, which must be text. */
export function textOf(answer: unknown, name: string): string {
  const value = isJson(answer) ? answer[name] : undefined
  if (typeof value === 'string') return value
  throw new Error(`an answer has no text in "${name}": ${JSON.stringify(answer)}`)
}

/** The first element of an answered list that has `value` in the field `name`. */
export function findBy(answer: unknown, name: string, value: unknown): Json {
  const found = Array.isArray(answer)
    ? answer.find((one): one is Json => isJson(one) && one[name] === value)
    : undefined
  if (found !== undefined) return found
  throw new Error(`an answer has nothing with ${name} ${String(value)}: ${JSON.stringify(answer)}`)
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
