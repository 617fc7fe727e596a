import type { components } from './generated.ts'

export type ProblemCode = components['schemas']['ProblemCode']
export type FieldError = components['schemas']['FieldError']

/** The fields of an error response. Without a response, `status` is 0 and `code` is `unreachable`. */
export interface CofferErrorFields {
  readonly status: number
  /** An error code of the API contract, or a newer code that this SDK does not know. */
  readonly code: ProblemCode | 'unreachable' | 'unreadable' | (string & {})
  readonly title: string
  readonly detail: string
  /** The invalid fields of a request. */
  readonly errors: readonly FieldError[]
  /** The id of the request. Send it to the server's operator when you ask for help. */
  readonly requestID: string | undefined
  /** The seconds to wait before the next attempt, if the server sent Retry-After. */
  readonly retryAfterS: number | undefined
  /** The Idempotency-Key of the call. If you repeat the call with this key, it takes effect only once. */
  readonly idempotencyKey: string | undefined
}

/** The error of every failed call. */
export class CofferError extends Error implements CofferErrorFields {
  override readonly name = 'CofferError'
  readonly status: number
  readonly code: CofferErrorFields['code']
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly requestID: string | undefined
  readonly retryAfterS: number | undefined
  readonly idempotencyKey: string | undefined

  constructor(fields: CofferErrorFields, cause?: unknown) {
    super(`${fields.title}: ${fields.detail}`, cause === undefined ? undefined : { cause })
    this.status = fields.status
    this.code = fields.code
    this.title = fields.title
    this.detail = fields.detail
    this.errors = fields.errors
    this.requestID = fields.requestID
    this.retryAfterS = fields.retryAfterS
    this.idempotencyKey = fields.idempotencyKey
  }
}

/** Reads an error response. A response from a proxy may have another format than Coffer's errors. */
export async function readError(
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

/**
 * Builds the error for a missing response: no server listens, the connection was lost, or the timeout
 * elapsed.
 */
export function unreachable(cause: unknown, idempotencyKey: string | undefined): CofferError {
  const detail = cause instanceof Error ? `${cause.message}${codeBelow(cause)}` : String(cause)
  return new CofferError(
    {
      status: 0,
      code: 'unreachable',
      title: 'The server did not answer',
      detail,
      errors: [],
      requestID: undefined,
      retryAfterS: undefined,
      idempotencyKey,
    },
    cause,
  )
}

/**
 * Returns the code of an error's cause, such as ECONNREFUSED, as a suffix for the error's message. The message
 * of an error from `fetch` says only that the request failed.
 */
function codeBelow({ cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? `: ${cause.code}` : ''
}
