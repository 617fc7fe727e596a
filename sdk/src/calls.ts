/** The types of calls, derived from the generated types. */
import type { operations as Contract } from './generated.ts'
import type { operations } from './operations.ts'

/** The operations of a client, without webhooks, which the server sends. */
export type OperationId = keyof typeof operations & keyof Contract

/** A part that an operation lacks is declared as `query?: never`, whose value reads as undefined and not as never. */
type PartOf<O extends OperationId, P extends 'path' | 'query'> = [
  NonNullable<Contract[O]['parameters'][P]>,
] extends [never]
  ? unknown
  : NonNullable<Contract[O]['parameters'][P]>

/** Removes `[]` from names: `types[]` on the wire is `types` here. */
type Unbracketed<Q> = { [N in keyof Q as N extends `${infer Plain}[]` ? Plain : N]: Q[N] }

type BodyOf<O extends OperationId> = Contract[O] extends {
  requestBody: { content: { 'application/json': infer B } }
}
  ? { body: B }
  : Contract[O] extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : unknown

export interface CallOptions {
  /** Aborts the call, also while it waits for a retry. */
  readonly signal?: AbortSignal
  /** Sent as Idempotency-Key; by default a new one for each call. */
  readonly idempotencyKey?: string
}

/** Path and query parameters side by side, the body under `body`. */
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

/** The body of a success; undefined if it has none. */
export type ReplyOf<O extends OperationId> = {
  [S in keyof Replies<O> & (200 | 201 | 202 | 204)]: JsonOf<Replies<O>[S]>
}[keyof Replies<O> & (200 | 201 | 202 | 204)]

export type Call<O extends OperationId> =
  Record<never, never> extends InputOf<O>
    ? (input?: InputOf<O>) => Promise<ReplyOf<O>>
    : (input: InputOf<O>) => Promise<ReplyOf<O>>

/** One call for each operation of the contract, under its operationId. */
export type Calls = { readonly [O in OperationId]: Call<O> }

/** The operations that return a page of records. */
export type PagedOperationId = {
  [O in OperationId]: 'page' extends keyof InputOf<O> ? O : never
}[OperationId]

export type RecordOf<O extends OperationId> =
  ReplyOf<O> extends { data: (infer T)[] } ? T : ReplyOf<O> extends (infer T)[] ? T : never
