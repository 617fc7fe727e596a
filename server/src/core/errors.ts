/**
 * The catalogue of all problems (RFC 7807). `type` on the wire is {PUBLIC_URL}/problems/<code>. `retry` says
 * whether the same request may succeed later. The text of a problem is public; its cause is only logged.
 */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid', retry: false },
  'malformed-json': { status: 400, title: 'The body is not JSON', retry: false },
  unauthenticated: { status: 401, title: 'A valid credential is required', retry: false },
  'invalid-login': { status: 401, title: 'The email or the password is wrong', retry: false },
  'two-factor-required': { status: 401, title: 'A two-factor code is required', retry: false },
  'invalid-code': { status: 401, title: 'The two-factor code is wrong', retry: false },
  forbidden: { status: 403, title: 'This credential does not permit the operation', retry: false },
  'proof-required': { status: 403, title: 'Re-authentication is required', retry: false },
  'registration-closed': { status: 403, title: 'Registration is closed on this server', retry: false },
  'not-found': { status: 404, title: 'Not found', retry: false },
  'method-not-offered': {
    status: 404,
    title: 'The invoice does not offer this payment method',
    retry: false,
  },
  'method-not-allowed': { status: 405, title: 'The path does not support this method', retry: false },
  'request-timeout': { status: 408, title: 'The request did not arrive in time', retry: true },
  'email-taken': { status: 409, title: 'An account with this email already exists', retry: false },
  'second-factor-on': { status: 409, title: 'Two-factor authentication is already enabled', retry: false },
  'second-factor-off': { status: 409, title: 'Two-factor authentication is not enabled', retry: false },
  'too-many-tokens': {
    status: 409,
    title: 'The account has reached its maximum number of tokens',
    retry: false,
  },
  'reference-taken': { status: 409, title: 'Another invoice has this reference', retry: false },
  'invoice-not-payable': { status: 409, title: 'The invoice can no longer be paid', retry: false },
  'invoice-not-closable': { status: 409, title: 'The invoice cannot be closed', retry: false },
  'transaction-not-creditable': { status: 409, title: 'The payment cannot be credited', retry: false },
  'invoice-not-acceptable': { status: 409, title: 'There is no payment to accept', retry: false },
  'payment-under-way': { status: 409, title: 'A payment is pending', retry: true },
  'withdrawal-under-way': { status: 409, title: 'The withdrawal can no longer be cancelled', retry: false },
  'withdrawal-ended': { status: 409, title: 'The withdrawal has ended', retry: false },
  'too-many-withdrawals': { status: 409, title: 'Too many withdrawals are pending', retry: true },
  'payouts-frozen': { status: 409, title: 'Payouts of this merchant are frozen', retry: true },
  'quarantine-ended': { status: 409, title: 'The quarantine has already ended', retry: false },
  'merchant-has-funds': { status: 409, title: 'The merchant still holds money', retry: false },
  'already-attributed': { status: 409, title: 'The money is already attributed', retry: false },
  'nothing-owed': { status: 409, title: 'The merchant owes nothing', retry: false },
  'owes-more': { status: 409, title: 'The merchant owes more than the given amount', retry: false },
  'cold-address-missing': { status: 409, title: 'No cold address is set', retry: false },
  'merchant-gone': { status: 409, title: 'The merchant can no longer be restored', retry: false },
  'already-member': { status: 409, title: 'The account is already a member', retry: false },
  'too-many-members': {
    status: 409,
    title: 'The merchant has reached its maximum number of members',
    retry: false,
  },
  'last-owner': { status: 409, title: 'A merchant needs at least one owner', retry: false },
  'idempotency-conflict': {
    status: 409,
    title: 'The Idempotency-Key was used for another request',
    retry: false,
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'The first request with this key is still in progress',
    retry: true,
  },
  'webhook-disabled': { status: 409, title: 'The webhook is disabled', retry: false },
  'payload-too-large': { status: 413, title: 'The body is too large', retry: false },
  'uri-too-long': { status: 414, title: 'The URL of the request is too long', retry: false },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json', retry: false },
  'unknown-account': { status: 422, title: 'No account has this email', retry: false },
  'below-minimum': { status: 422, title: 'The amount is below the minimum', retry: false },
  'insufficient-balance': { status: 422, title: 'Insufficient balance', retry: false },
  'invalid-address': { status: 422, title: 'Money cannot be sent to this address', retry: false },
  'listed-address': { status: 422, title: 'The address is on a sanctions list', retry: false },
  'lookalike-address': {
    status: 422,
    title: 'The address resembles one that was paid before',
    retry: false,
  },
  'contract-elsewhere': {
    status: 422,
    title: 'The address is a contract on another network only',
    retry: false,
  },
  'fee-exceeds-amount': { status: 422, title: 'The fee takes the whole amount', retry: false },
  'too-many-requests': { status: 429, title: 'Too many requests', retry: true },
  'headers-too-large': { status: 431, title: 'The request headers are too large', retry: false },
  'too-busy': { status: 503, title: 'The server is overloaded', retry: true },
  'not-ready': { status: 503, title: 'The server is not ready', retry: true },
  'rate-unavailable': { status: 503, title: 'No fresh exchange rate is available', retry: true },
  'query-too-slow': { status: 503, title: 'The database query took too long', retry: true },
  'database-unavailable': { status: 503, title: 'The database does not answer', retry: true },
  internal: { status: 500, title: 'Something went wrong on our side', retry: true },
} as const satisfies Record<string, { status: number; title: string; retry: boolean }>

export type ProblemCode = keyof typeof problems

/**
 * One error in a request. The pointer is a JSON pointer into the body, or `query/<name>`, or `path/<name>`.
 */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

export interface ProblemExtras {
  readonly errors?: readonly FieldError[]
  readonly retryAfterS?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error whose text is returned to the caller. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly extras: ProblemExtras

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return problems[this.code].status
  }
}

/** Creates a problem to throw: `throw fail('not-found', 'No such invoice.')`. */
export function fail(code: ProblemCode, detail: string, extras?: ProblemExtras): Problem {
  return new Problem(code, detail, extras)
}

/**
 * Creates the problem with status 400 for one invalid field. `detail` says what is wrong and what to send.
 */
export function failField(pointer: string, detail: string): Problem {
  return fail('invalid-request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}

/**
 * An error that raises an alert for operators, such as tampering with stored data. `alert` is the stable name
 * of the alert.
 */
export class AlertError extends Error {
  override readonly name = 'AlertError'
  readonly alert: string

  constructor(alert: string, message: string) {
    super(message)
    this.alert = alert
  }
}
