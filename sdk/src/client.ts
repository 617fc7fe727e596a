import type { Calls, InputOf, OperationId, PagedOperationId, RecordOf } from './calls.ts'
import { type CofferError, readError, unreachable } from './coffer-error.ts'
import { operations } from './operations.ts'
import { pause } from './pause.ts'
import { type CallInput, isRepeatable, type OperationShape, targetOf } from './request.ts'
import { nextTryMs, type RetryRules, retryRules } from './retries.ts'

export interface ClientOptions {
  /** The URL of the server, such as `https://pay.example`. */
  readonly baseUrl: string
  /** A merchant's API key. The routes for invoices, payments and withdrawals accept it. */
  readonly apiKey?: string | undefined
  /**
   * A Bearer token, which the routes for administration require. If both a token and an API key are given,
   * the server uses the token and ignores the key.
   */
  readonly token?: string | undefined
  /**
   * Timeout of one attempt in milliseconds; 30,000 by default. The `waitS` of a call is added, because the
   * server keeps the request open for that time.
   */
  readonly timeoutMs?: number
  readonly retries?: Partial<RetryRules>
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface Client extends Calls {
  /**
   * Yields every record of a list, page by page: `for await (const invoice of coffer.each('listInvoices', {
   * merchantID }))`. If the list has the parameter `order`, the oldest record comes first, so that new
   * records do not shift the pages.
   */
  each<O extends PagedOperationId>(operation: O, input: InputOf<O>): AsyncGenerator<RecordOf<O>, void, void>
}

/**
 * Creates a client for one server. The client has a method for each operation of the API contract. A method
 * resolves to the body of the response, and rejects with a `CofferError` if the call fails. If the server is
 * unreachable or busy, a call that is safe to repeat is retried with the same Idempotency-Key.
 */
export function createClient(options: ClientOptions): Client {
  const calls = Object.entries(operations).map(([name, shape]) => [
    name,
    (input: CallInput = {}) => call(options, shape, input),
  ])
  const client: Calls = Object.fromEntries(calls)
  return { ...client, each: (operation, input) => eachRecord(client, operation, input) }
}

async function call(options: ClientOptions, shape: OperationShape, input: CallInput): Promise<unknown> {
  const url = options.baseUrl.replace(/\/+$/, '') + targetOf(shape, input)
  const idempotencyKey = shape.isIdempotent ? (input.idempotencyKey ?? crypto.randomUUID()) : undefined
  const request = requestOf(options, shape, { ...input, idempotencyKey })
  const rules = { ...retryRules, ...options.retries }
  const timeoutMs = (options.timeoutMs ?? 30_000) + keptMs(input)
  for (let tried = 1; ; tried += 1) {
    const answer = await attempt({ ...options, timeoutMs }, url, request, {
      signal: input.signal,
      idempotencyKey,
    })
    if (!(answer instanceof Error)) return answer.value
    const circumstances = { tried, isRepeatable: isRepeatable(shape), random: Math.random }
    const waitMs = nextTryMs(rules, answer, circumstances)
    if (waitMs === undefined) throw answer
    await pause(waitMs, input.signal)
  }
}

/** Returns the milliseconds for which the caller asked the server to keep the request open. */
function keptMs({ waitS }: CallInput): number {
  return typeof waitS === 'number' && waitS > 0 ? waitS * 1_000 : 0
}

function requestOf(
  { apiKey, token }: ClientOptions,
  { method }: OperationShape,
  { body: value, idempotencyKey }: { readonly body?: unknown; readonly idempotencyKey: string | undefined },
): RequestInit {
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(value === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
  const body = value === undefined ? {} : { body: JSON.stringify(value) }
  return { method, headers, redirect: 'error', ...body }
}

/**
 * Makes one attempt. Returns the body of a successful response, or the error. Throws only if the caller's
 * signal is aborted.
 */
async function attempt(
  { fetch: send = fetch, timeoutMs }: ClientOptions & { readonly timeoutMs: number },
  url: string,
  request: RequestInit,
  { signal, idempotencyKey }: { signal: AbortSignal | undefined; idempotencyKey: string | undefined },
): Promise<{ value: unknown } | CofferError> {
  signal?.throwIfAborted()
  // `AbortSignal.any` is not used, because it may lose a timeout signal
  // (https://github.com/nodejs/node/issues/57736).
  const either = new AbortController()
  const abort = () => either.abort(signal?.reason)
  const timer = setTimeout(() => either.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await send(url, { ...request, signal: either.signal })
    return response.ok ? { value: await readBody(response) } : await readError(response, idempotencyKey)
  } catch (error) {
    signal?.throwIfAborted()
    return unreachable(error, idempotencyKey)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text
}

async function* eachRecord<O extends OperationId>(
  client: Calls,
  operation: O,
  input: InputOf<O>,
): AsyncGenerator<RecordOf<O>, void, void> {
  const shape: OperationShape = operations[operation]
  const given: CallInput = { ...input }
  const limit = typeof given['limit'] === 'number' ? given['limit'] : 100
  const order = shape.query.includes('order') ? { order: 'asc' } : {}
  const read = client[operation] as unknown as (input: CallInput) => Promise<Page<RecordOf<O>>>
  for (let page = 1; ; page += 1) {
    const answer = await read({ ...order, ...given, limit, page })
    const records = 'data' in answer ? answer.data : answer
    yield* records
    if (records.length < limit) return
  }
}

type Page<T> = readonly T[] | { readonly data: readonly T[] }
