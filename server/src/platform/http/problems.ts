/** Converts errors into answers. The client gets an RFC 7807 body; the cause is only logged. */
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

/** Returns the answer for a problem. `publicUrl` has no trailing slash. */
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
    // A 401 names the authentication scheme (RFC 9110, section 11.6.1).
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="coffer"' } : {}),
    ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
    ...extras.headers,
  }
}

/**
 * Converts any thrown value into a problem whose text the client may read. The cause of a 5xx is only logged.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const rejected = transportProblem(error)
  if (rejected !== undefined) return rejected
  // 57014 (query_canceled) means that the query exceeded our statement_timeout. The database works, and an
  // immediate repetition would only load it again.
  if (sqlState(error) === '57014') {
    return fail(
      'query-too-slow',
      'The database query took too long. Use narrower filters or request fewer records.',
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

/**
 * Converts an error with which Fastify itself rejects a request, before any handler runs. Such an error has a
 * `statusCode`. Returns undefined for any other error.
 */
function transportProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('payload-too-large', 'The body is larger than 64 KiB.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail('not-found', 'Not found.')
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
// SQLSTATEs (PostgreSQL appendix A) of a database that is unavailable for now: connection exceptions (08),
// insufficient resources (53), operator intervention (57), read-only because the server became a replica
// (25006), timeout of an idle transaction (25P03), lock not available (55P03). A serialization failure
// (40001) or deadlock (40P01) is included for a transaction that has used up its retries.
const awayStates = /^(08...|53...|57...|25006|25P03|55P03|40001|40P01)$/
// Messages of pg and pg-pool for errors without a code.
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
