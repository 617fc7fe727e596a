/** A route is one declared value: validation, access, documentation and serialization come from it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { Problem, ProblemCode } from '../../core/errors.ts'
import type { AccountCaller, Caller, Merchant, Role } from './auth.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `open` ignores credentials, `bearer` takes a Bearer token only, `any` a token or an API key. */
export type Auth = 'open' | 'bearer' | 'any'

/** A body's schema per success status; null where there is no body. */
export type Replies = { readonly [S in SuccessStatus]?: TSchema | null }

export type SuccessStatus = 200 | 201 | 202 | 204 | 303 | 304

/** A route that will go one day. */
export interface Deprecation {
  /** From when its use is discouraged. */
  readonly since: Date
  /** From when it may be gone. */
  readonly sunset: Date
  /** The declared path that takes its place; its segments take the values of those of the same name. */
  readonly successor: `/${string}`
}

/** As the kit sees any route. Make one with `route()`. */
export interface Route {
  readonly method: Method
  /** `/merchants/:merchantID/...`: a segment named `:merchantID` has access checked before all else. */
  readonly path: string
  readonly auth: Auth
  readonly summary: string
  /** More than the summary says, in CommonMark, for the contract document. */
  readonly description?: string | undefined
  /** Its name in the contract and in clients; made from method and path where none is given. */
  readonly operationId?: string | undefined
  /** The chapter of the contract; found by the path where none is given. */
  readonly tag?: string | undefined
  readonly example?: Example | undefined
  /** Schemas of path segments; those without one are ids (UUID). What does not match is 404. */
  readonly params?: { readonly [name: string]: TSchema } | undefined
  readonly query?: TObject | undefined
  readonly body?: TObject | undefined
  readonly replies: Replies
  readonly errors: readonly ProblemCode[]
  /** Changes nothing although its method is not GET; a viewer may use it. */
  readonly readOnly: boolean
  /** The least role of a member who may use it. */
  readonly role: Role
  /** Browsers of any origin may call it. */
  readonly crossOrigin: boolean
  /** Not for pages of other sites, although no credential is asked for: it gives one. */
  readonly ownPagesOnly: boolean
  /** Takes `Idempotency-Key`: sent again under the same key it has its effect once and gives the first answer. */
  readonly idempotent: boolean
  /** Whether its requests count towards the limit of requests a second. */
  readonly isCounted: boolean
  /** Whether the contract document tells of it. */
  readonly inContract: boolean
  readonly deprecated?: Deprecation | undefined
  /** Whether a request with this body asks for more than a session's cookie. */
  needsProof(body: unknown): boolean
  permit?(caller: Caller | undefined): void
  /** How a refusal is shown to a browser that asks for a page; as a problem's JSON where absent. */
  showProblem?(problem: Problem, headers: IncomingHttpHeaders): Page
  handle(input: AnyInput): Promise<AnyReply>
}

/** What the contract shows where the schemas alone would show too little. */
export interface Example {
  readonly query?: { readonly [name: string]: unknown }
  readonly body?: unknown
  readonly reply?: unknown
}

/** A page for people, with the headers it needs beside its media type. */
export interface Page {
  readonly headers: ReplyHeaders
  readonly body: string
}

/** null takes away what the server would send by itself. */
export type ReplyHeaders = Readonly<Record<string, string | null>>

/** What the kit knows of any request, whatever its route declares. */
interface RequestFacts {
  /** As they were sent, for what no schema declares: languages, conditions. */
  readonly headers: IncomingHttpHeaders
  /** Only the headers are asked for: HEAD in place of GET. */
  readonly isHead: boolean
  /** The IP address of the peer. */
  readonly address: string
  /** What the client says it is. */
  readonly userAgent: string | undefined
  /** Whether a proxy says that it passed the request on, be it trusted or not. */
  readonly isForwarded: boolean
  readonly requestId: string
  /** For a handler that waits: aborts when the client is gone and when the server stops. */
  readonly signal: AbortSignal
  /**
   * For a handler that waited: whether the caller may still do what it was admitted to. Counts no request.
   * @throws Problem 401, 403, 404
   */
  readonly admitAgain: () => Promise<void>
  /**
   * The id of what this request creates: the same each time it is run under one Idempotency-Key. Whoever inserts with
   * it takes a row that is there already for its own, and answers with that one.
   */
  readonly newId: string
}

export interface AnyInput extends RequestFacts {
  readonly caller: unknown
  readonly merchant: unknown
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export interface AnyReply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: ReplyHeaders
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type CallerOf<A extends Auth> = A extends 'open' ? undefined : A extends 'bearer' ? AccountCaller : Caller

type ParamsOf<Path extends string, P> = {
  readonly [N in Exclude<ParamNames<Path>, 'merchantID'>]: N extends keyof P
    ? P[N] extends TSchema
      ? Static<P[N]>
      : string
    : string
}

export interface Input<Path extends string, A extends Auth, P, Q, B> extends RequestFacts {
  readonly caller: CallerOf<A>
  readonly merchant: 'merchantID' extends ParamNames<Path> ? Merchant : undefined
  readonly params: ParamsOf<Path, P>
  readonly query: Q extends TSchema ? Static<Q> : undefined
  readonly body: B extends TSchema ? Static<B> : undefined
}

type Headers = { readonly headers?: ReplyHeaders }

export type ReplyOf<R extends Replies> = {
  [S in keyof R & SuccessStatus]: R[S] extends TSchema
    ? { readonly status: S; readonly body: Static<R[S]> } & Headers
    : { readonly status: S; readonly body?: undefined } & Headers
}[keyof R & SuccessStatus]

export interface RouteSpec<Path extends string, A extends Auth, P, Q, B, R extends Replies> {
  readonly method: Method
  readonly path: Path
  readonly auth: A
  /** One line without a full stop; the page of the contract shows it as a heading. */
  readonly summary: string
  readonly description?: string
  readonly operationId?: string
  readonly tag?: string
  readonly example?: Example
  readonly params?: P
  /**
   * A flat object of strings, integers, booleans and arrays of them. A property with a `default` need not be sent.
   * Undeclared names are 400; an empty value counts as not sent, but on DELETE, where it is 400.
   */
  readonly query?: Q
  /** Undeclared fields are 400; null for an optional field counts as not sent. */
  readonly body?: B
  readonly replies: R
  readonly errors?: readonly ProblemCode[]
  readonly readOnly?: boolean
  /** By default a viewer may read and an admin may change. */
  readonly role?: Role
  readonly crossOrigin?: boolean
  /** For an open route that answers with a credential. */
  readonly ownPagesOnly?: boolean
  /** To be set where money or an invoice is made, changed or ended by POST or DELETE; needs `newId` to be heeded. */
  readonly idempotent?: boolean
  /** False for what watches over the service, which must get its answer; true when absent. */
  readonly isCounted?: boolean
  /** False for what pages of ours alone call, which is changed together with them; true when absent. */
  readonly inContract?: boolean
  /** Set on what will go one day. */
  readonly deprecated?: Deprecation
  /**
   * For what sends money or gives somebody the means to: a browser's session must come with a proof that its holder has just
   * typed the password or a code (X-Session-Proof). Tokens and API keys are not asked for one.
   */
  readonly needsProof?: true | ((body: B extends TSchema ? Static<B> : undefined) => boolean)
  /** Throws a 403 for a caller who may not use the route at all; runs before anything of the request is read. */
  permit?(caller: CallerOf<A>): void
  showProblem?(problem: Problem, headers: IncomingHttpHeaders): Page
  handle(input: Input<Path, A, P, Q, B>): Promise<NoInfer<ReplyOf<R>>>
}

export function route<
  const Path extends `/${string}`,
  const A extends Auth,
  const R extends Replies,
  P extends { readonly [name: string]: TSchema } | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(spec: RouteSpec<Path, A, P, Q, B, R>): Route {
  const { readOnly = false, crossOrigin = false, idempotent = false, isCounted = true } = spec
  const { ownPagesOnly = false, inContract = true } = spec
  const { needsProof, errors: ownErrors = [] } = spec
  const errors = needsProof === undefined ? ownErrors : [...ownErrors, 'proof-required']
  const role = spec.role ?? (readOnly || spec.method === 'GET' ? 'viewer' : 'admin')
  // The kit hands each handler exactly what its own schemas gave, which the erased type cannot say.
  const rules = { readOnly, role, crossOrigin, ownPagesOnly, idempotent, isCounted, inContract, errors }
  const proofRule = typeof needsProof === 'function' ? needsProof : () => needsProof === true
  return { ...spec, ...rules, needsProof: proofRule } as unknown as Route
}
