/** Errors on their way out: RFC 7807 bodies for the caller, causes for the log. */
import { type FieldError, fail, Problem, problems } from '../../core/errors.ts'
import { sqlState } from '../db/transaction.ts'

export const problemMediaType = 'application/problem+json'

export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly requestID: string
  readonly errors?: readonly FieldError[]
}

export interface ProblemReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** How a problem is answered. `publicUrl` has no trailing slash. */
export function problemReply(problem: Problem, requestId: string, publicUrl: string): ProblemReply {
  const { code, extras, status } = problem
  const body: ProblemBody = {
    type: `${publicUrl}/problems/${code}`,
    title: problems[code].title,
    status,
    detail: problem.message,
    code,
    requestID: requestId,
    ...(extras.errors === undefined ? {} : { errors: extras.errors }),
  }
  return { status, headers: headersOf(problem), body: Buffer.from(JSON.stringify(body)) }
}

function headersOf({ status, extras }: Problem): Record<string, string> {
  const retryAfterS = extras.retryAfterS ?? (status === 503 ? 1 : undefined)
  return {
    'content-type': problemMediaType,
    // RFC 9110, section 11.6.1: a 401 names the scheme that would be accepted.
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="coffer"' } : {}),
    ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
    ...extras.headers,
  }
}

/** Whatever was thrown, as what the caller may read. The cause of a 5xx is for the log alone. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const rejected = transportProblem(error)
  if (rejected !== undefined) return rejected
  // query_canceled: our statement_timeout. The database is well, and the same request would only load it again.
  if (sqlState(error) === '57014') {
    return fail(
      'query-too-slow',
      'This takes the database too long. Ask for less: narrower filters, fewer rows.',
      { retryAfterS: 30, cause: error },
    )
  }
  return isDatabaseAway(error)
    ? fail('database-unavailable', 'The database does not answer. Try again shortly.', {
        retryAfterS: 2,
        cause: error,
      })
    : fail('internal', 'Something went wrong on our side. Quote the requestID when you report it.', {
        cause: error,
      })
}

/** The server's own refusals of a request that reached no handler: they carry the status they mean. */
function transportProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('payload-too-large', 'The body is larger than 64 KiB.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail('not-found', 'Nothing is here.')
    default: {
      const status = Number(error.statusCode)
      return status >= 400 && status < 500
        ? fail('invalid-request', 'The request is not complete, valid HTTP.')
        : undefined
    }
  }
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
// PostgreSQL appendix A: connection (08), resources (53), intervention (57), and: read only (a replica that was
// promoted elsewhere), lock not available, the two that a retried transaction ran out of tries on.
const awayStates = /^(08...|53...|57...|25006|25P03|55P03|40001|40P01)$/
// What pg and pg-pool say without a code.
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|Query read timeout|Cannot use a pool after calling end/

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true
  const state = sqlState(error)
  if (state !== undefined && awayStates.test(state)) return true
  if ('code' in error && awayCodes.has(String(error.code))) return true
  return awayMessages.test(error.message)
}
