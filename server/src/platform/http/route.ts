/**
 * Declares a route as one value. Validation, access checks, documentation and serialization are derived from
 * this value.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { Problem, ProblemCode } from '../../core/errors.ts'
import type { AccountCaller, Caller, Merchant, Role } from './auth.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `open` ignores credentials, `bearer` accepts a Bearer token only, `any` accepts a token or an API key. */
export type Auth = 'open' | 'bearer' | 'any'

/** The body's schema for each success status; null for a status without a body. */
export type Replies = { readonly [S in SuccessStatus]?: TSchema | null }

export type SuccessStatus = 200 | 201 | 202 | 204 | 303 | 304

/** Announces the removal of a route. */
export interface Deprecation {
  /** From this date on, use of the route is discouraged. */
  readonly since: Date
  /** From this date on, the route may be gone. */
  readonly sunset: Date
  /**
   * The path of the route that replaces this route. Its parameters get the values of this route's parameters
   * of the same name.
   */
  readonly successor: `/${string}`
}

/** A route without its type parameters. Create one with `route()`. */
export interface Route {
  readonly method: Method
  /**
   * The path, such as `/merchants/:merchantID/...`. If it contains `:merchantID`, the caller's access to that
   * merchant is checked before the query and the body are read.
   */
  readonly path: string
  readonly auth: Auth
  readonly summary: string
  /** A text in CommonMark that adds to the summary, for the OpenAPI document. */
  readonly description?: string | undefined
  /** The operation's name in the OpenAPI document and in clients; derived from method and path if absent. */
  readonly operationId?: string | undefined
  /** The OpenAPI tag, which is a chapter of the API's description; derived from the path if absent. */
  readonly tag?: string | undefined
  readonly example?: Example | undefined
  /** The schemas of path parameters. Without a schema, a parameter is an id (UUID). A mismatch is a 404. */
  readonly params?: { readonly [name: string]: TSchema } | undefined
  readonly query?: TObject | undefined
  readonly body?: TObject | undefined
  readonly replies: Replies
  readonly errors: readonly ProblemCode[]
  /** True for a route that changes nothing although its method is not GET. A viewer may use such a route. */
  readonly readOnly: boolean
  /** The lowest role of a member that may use the route. */
  readonly role: Role
  /** Whether browsers may call the route from any origin. */
  readonly crossOrigin: boolean
  /** Whether requests from pages of other sites are rejected, as on a route that gives out credentials. */
  readonly ownPagesOnly: boolean
  /**
   * Whether the route accepts `Idempotency-Key`. A repeated request under the same key has no further effect
   * and returns the first answer.
   */
  readonly idempotent: boolean
  /** Whether requests to the route count towards the rate limit. */
  readonly isCounted: boolean
  /** Whether the route is part of the OpenAPI document. */
  readonly inContract: boolean
  readonly deprecated?: Deprecation | undefined
  /** Returns true if a request with a session cookie and this body also needs a session proof. */
  needsProof(body: unknown): boolean
  permit?(caller: Caller | undefined): void
  /** Renders a problem for a browser that opens a page; if absent, problems are sent as JSON. */
  showProblem?(problem: Problem, headers: IncomingHttpHeaders): Page
  handle(input: AnyInput): Promise<AnyReply>
}

/**
 * Example values for the OpenAPI document. Needed for routes where the values that are derived from the
 * schemas would show too little.
 */
export interface Example {
  readonly query?: { readonly [name: string]: unknown }
  readonly body?: unknown
  readonly reply?: unknown
}

/** An HTML page, with the headers that it needs in addition to its media type. */
export interface Page {
  readonly headers: ReplyHeaders
  readonly body: string
}

/** Additional headers of a reply. The value null removes a header that the server would send by default. */
export type ReplyHeaders = Readonly<Record<string, string | null>>

/** What every handler is given about a request, whatever its route declares. */
interface RequestFacts {
  /** The raw headers, for values that no schema declares, such as Accept-Language and If-None-Match. */
  readonly headers: IncomingHttpHeaders
  /** Whether the client requests only the headers (HEAD instead of GET). */
  readonly isHead: boolean
  /** The IP address of the client. */
  readonly address: string
  readonly userAgent: string | undefined
  /** Whether a proxy says in a header that it forwarded the request. The proxy need not be trusted. */
  readonly isForwarded: boolean
  readonly requestId: string
  /** Aborts when the client disconnects or the server stops. Used by handlers that wait. */
  readonly signal: AbortSignal
  /**
   * Checks again that the caller has access to the route, for a handler that has waited since the first
   * check. Does not count towards the rate limit.
   * @throws Problem 401, 403, 404
   */
  readonly admitAgain: () => Promise<void>
  /**
   * The id of what this request creates, which is the same for every run under one Idempotency-Key. A handler
   * that inserts a row with this id must treat an existing row as its own, and answer with that row.
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
  /** One line without a full stop, which the HTML page of the API shows as a heading. */
  readonly summary: string
  readonly description?: string
  readonly operationId?: string
  readonly tag?: string
  readonly example?: Example
  readonly params?: P
  /**
   * An object of strings, integers, booleans, and arrays of these types. A property with a `default` need not
   * be sent. Undeclared names are answered with 400. An empty value counts as not sent, but on DELETE it is
   * answered with 400.
   */
  readonly query?: Q
  /** Undeclared fields are answered with 400; null for an optional field counts as not sent. */
  readonly body?: B
  readonly replies: R
  readonly errors?: readonly ProblemCode[]
  readonly readOnly?: boolean
  /** The lowest role that may use the route; by default viewer for GET and `readOnly`, or else admin. */
  readonly role?: Role
  readonly crossOrigin?: boolean
  /**
   * Whether pages of other sites are rejected. Set it on a route that returns a credential but needs none.
   */
  readonly ownPagesOnly?: boolean
  /**
   * Whether the route accepts `Idempotency-Key`. Set it on every POST or DELETE that moves money, or creates,
   * changes or ends an invoice. The handler must then use `newId`.
   */
  readonly idempotent?: boolean
  /**
   * Whether requests count towards the rate limit; true by default. False for calls that monitor the service,
   * because they must always be answered.
   */
  readonly isCounted?: boolean
  /**
   * Whether the route is part of the OpenAPI document; true by default. False for routes that only our own
   * pages call, because such routes change together with the pages.
   */
  readonly inContract?: boolean
  /** Announces that the route will be removed. */
  readonly deprecated?: Deprecation
  /**
   * Whether a request with a session cookie also needs a session proof (X-Session-Proof). The user gets a
   * session proof by entering the password or a two-factor code. Set it on routes that send money, or give
   * somebody the means to send money. Tokens and API keys need no session proof.
   */
  readonly needsProof?: true | ((body: B extends TSchema ? Static<B> : undefined) => boolean)
  /**
   * Throws Problem 403 for a caller that may not use the route at all. It runs before the query and the body
   * are read.
   */
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
  // The cast is safe, because each handler gets exactly the values that the schemas of its own route
  // produced. The type `Route`, which has no type parameters, cannot express that.
  const rules = { readOnly, role, crossOrigin, ownPagesOnly, idempotent, isCounted, inContract, errors }
  const proofRule = typeof needsProof === 'function' ? needsProof : () => needsProof === true
  return { ...spec, ...rules, needsProof: proofRule } as unknown as Route
}
