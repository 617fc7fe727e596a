import type { components } from './generated.ts'

export type ProblemCode = components['schemas']['ProblemCode']
export type FieldError = components['schemas']['FieldError']

/** What an answer that is no success says; `status` 0 and code `unreachable` where there was no answer. */
export interface Refusal {
  readonly status: number
  /** One of the contract's codes, or one that came after this SDK was made. */
  readonly code: ProblemCode | 'unreachable' | 'unreadable' | (string & {})
  readonly title: string
  readonly detail: string
  /** Each faulty field of an invalid request. */
  readonly errors: readonly FieldError[]
  /** To quote when you ask the server's operator. */
  readonly requestID: string | undefined
  /** Seconds the server asks you to wait. */
  readonly retryAfterS: number | undefined
  /** Under which the call was sent: sent again under the same one, it still has its effect once. */
  readonly idempotencyKey: string | undefined
}

/** Thrown by every call that had no success. */
export class CofferError extends Error implements Refusal {
  override readonly name = 'CofferError'
  readonly status: number
  readonly code: Refusal['code']
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly requestID: string | undefined
  readonly retryAfterS: number | undefined
  readonly idempotencyKey: string | undefined

  constructor(refusal: Refusal, cause?: unknown) {
    super(`${refusal.title}: ${refusal.detail}`, cause === undefined ? undefined : { cause })
    this.status = refusal.status
    this.code = refusal.code
    this.title = refusal.title
    this.detail = refusal.detail
    this.errors = refusal.errors
    this.requestID = refusal.requestID
    this.retryAfterS = refusal.retryAfterS
    this.idempotencyKey = refusal.idempotencyKey
  }
}

/** A response that is no success, read; a proxy in between may have answered something else than a problem. */
export async function readRefusal(
  response: Response,
  idempotencyKey: string | undefined,
): Promise<CofferError> {
  const text = await response.text()
  const problem = parseProblem(text)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new CofferError({
    status: response.status,
    code: problem.code ?? 'unreadable',
    title: problem.title ?? `HTTP ${response.status}`,
    detail: problem.detail ?? text.slice(0, 200),
    errors: problem.errors ?? [],
    requestID: problem.requestID ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
    idempotencyKey,
  })
}

function parseProblem(text: string): Partial<components['schemas']['Problem']> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** There was no answer: nobody listens, the connection broke, or it took too long. */
export function unreachable(cause: unknown, idempotencyKey: string | undefined): CofferError {
  const detail = cause instanceof Error ? `${cause.message}${codeBelow(cause)}` : String(cause)
  return new CofferError(
    {
      status: 0,
      code: 'unreachable',
      title: 'The server gave no answer',
      detail,
      errors: [],
      requestID: undefined,
      retryAfterS: undefined,
      idempotencyKey,
    },
    cause,
  )
}

/** `fetch` itself says no more than that it failed; what it failed of is below. */
function codeBelow({ cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? `: ${cause.code}` : ''
}
