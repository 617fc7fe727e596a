import type { Calls, InputOf, OperationId, PagedOperationId, RecordOf } from './calls.ts'
import { type CofferError, readRefusal, unreachable } from './coffer-error.ts'
import { operations } from './operations.ts'
import { pause } from './pause.ts'
import { type CallInput, isRepeatable, type OperationShape, targetOf } from './request.ts'
import { nextTryMs, type RetryRules, retryRules } from './retries.ts'

export interface ClientOptions {
  /** Where the server is, such as `https://pay.example`. */
  readonly baseUrl: string
  /** A merchant's API key, for payments. */
  readonly apiKey?: string | undefined
  /** A Bearer token, for administration; judged alone where both are given. */
  readonly token?: string | undefined
  /** How long one try may take, beyond what the server is asked to wait (`waitS`); 30 s by default. */
  readonly timeoutMs?: number
  readonly retries?: Partial<RetryRules>
  /** In place of the global one. */
  readonly fetch?: typeof fetch
}

export interface Client extends Calls {
  /**
   * Every record of a list, page by page: `for await (const invoice of coffer.each('listInvoices', { merchantID }))`.
   * Oldest first where the list can, so that what is added meanwhile moves nothing to another page.
   */
  each<O extends PagedOperationId>(operation: O, input: InputOf<O>): AsyncGenerator<RecordOf<O>, void, void>
}

/**
 * A client of one server. Each operation of the contract is a method; it resolves to the answer's body and throws a
 * `CofferError` for all else. A call that may be repeated is, when the server is away or busy, under one Idempotency-Key.
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

/** How long the server was asked to keep a question that it has no answer to yet. */
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

/** One try: the body of a success, or what went wrong. Only the caller's own signal makes it throw. */
async function attempt(
  { fetch: send = fetch, timeoutMs }: ClientOptions & { readonly timeoutMs: number },
  url: string,
  request: RequestInit,
  { signal, idempotencyKey }: { signal: AbortSignal | undefined; idempotencyKey: string | undefined },
): Promise<{ value: unknown } | CofferError> {
  signal?.throwIfAborted()
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]
  try {
    const response = await send(url, { ...request, signal: AbortSignal.any(limits) })
    return response.ok ? { value: await readBody(response) } : await readRefusal(response, idempotencyKey)
  } catch (error) {
    signal?.throwIfAborted()
    return unreachable(error, idempotencyKey)
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
