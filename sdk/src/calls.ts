/** The types of the client's methods, derived from the generated types of the API contract (OpenAPI). */
import type { operations as Contract } from './generated.ts'
import type { operations } from './operations.ts'

/** The operations that a client can call. Webhooks are left out, because the server calls them. */
export type OperationId = keyof typeof operations & keyof Contract

/**
 * The path or query parameters of an operation. If an operation has none, the generated type is `query?:
 * never`. TypeScript reads such a property as undefined, so it is compared with never after `NonNullable`.
 */
type PartOf<O extends OperationId, P extends 'path' | 'query'> = [
  NonNullable<Contract[O]['parameters'][P]>,
] extends [never]
  ? unknown
  : NonNullable<Contract[O]['parameters'][P]>

/** Removes `[]` from parameter names: `types[]` on the wire is `types` in the SDK. */
type Unbracketed<Q> = { [N in keyof Q as N extends `${infer Plain}[]` ? Plain : N]: Q[N] }

type BodyOf<O extends OperationId> = Contract[O] extends {
  requestBody: { content: { 'application/json': infer B } }
}
  ? { body: B }
  : Contract[O] extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : unknown

export interface CallOptions {
  /** Aborts the call, even while it waits for a retry. */
  readonly signal?: AbortSignal
  /** The Idempotency-Key of the call. By default, every call has a new key. */
  readonly idempotencyKey?: string
}

/** The input of a call: all path and query parameters, and the request body as `body`. */
export type InputOf<O extends OperationId> = PartOf<O, 'path'> &
  Unbracketed<PartOf<O, 'query'>> &
  BodyOf<O> &
  CallOptions

type Replies<O extends OperationId> = Contract[O]['responses']

type JsonOf<R> = R extends { content: { 'application/json': infer J } }
  ? J
  : R extends { content: { 'text/html': infer T } }
    ? T
    : R extends { content: { 'text/csv': infer T } }
      ? T
      : undefined

/** The body of a successful response; undefined if the response has no body. */
export type ReplyOf<O extends OperationId> = {
  [S in keyof Replies<O> & (200 | 201 | 202 | 204)]: JsonOf<Replies<O>[S]>
}[keyof Replies<O> & (200 | 201 | 202 | 204)]

export type Call<O extends OperationId> =
  Record<never, never> extends InputOf<O>
    ? (input?: InputOf<O>) => Promise<ReplyOf<O>>
    : (input: InputOf<O>) => Promise<ReplyOf<O>>

/** One method for each operation of the API contract. The name of the method is the `operationId`. */
export type Calls = { readonly [O in OperationId]: Call<O> }

/** The operations that return a page of records. */
export type PagedOperationId = {
  [O in OperationId]: 'page' extends keyof InputOf<O> ? O : never
}[OperationId]

export type RecordOf<O extends OperationId> =
  ReplyOf<O> extends { data: (infer T)[] } ? T : ReplyOf<O> extends (infer T)[] ? T : never
