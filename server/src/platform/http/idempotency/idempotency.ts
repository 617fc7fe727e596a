/**
 * Defines when two requests under one Idempotency-Key are the same, and which answers are stored for repeated
 * requests.
 */
import { createHash } from 'node:crypto'
import { failField, type Problem, problems } from '../../../core/errors.ts'
import { isId } from '../../../core/ids.ts'
import type { Admission } from '../admit.ts'

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** The UUID of the scope, usually a merchant or account. Keys in different scopes are independent. */
  readonly scopeId: string
  readonly key: string
  /** Method and declared path, for people who read the table. */
  readonly route: string
  /** The SHA-256 of method, path, parameters, query and body. */
  readonly fingerprint: Buffer
}

/** An answer as it is sent to the client. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Returns the Idempotency-Key of a request; undefined if it has none. Two header lines are rejected: Node
 * joins them by ", ", and a key contains no space.
 * @throws Problem invalid-request for a malformed key
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw failField('header/Idempotency-Key', 'must be one key of 1 to 255 visible ASCII characters')
}

export interface Asked {
  readonly method: string
  /** The path as the route declares it, such as `/merchants/:merchantID`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** The query as sent, without "?". */
  readonly query: string
  /**
   * The parsed JSON, before defaults are filled in. The fingerprint of a body is therefore the same after an
   * update of Coffer.
   */
  readonly body: unknown
}

/** Hashes a request. Neither white space nor the order of fields in the body changes the hash. */
export function fingerprintOf({ method, path, params, query, body }: Asked): Buffer {
  const ids = Object.fromEntries(Object.entries(params).map(([name, text]) => [name, text.toLowerCase()]))
  return createHash('sha256')
    .update(canonicalJson([method, path, ids, query, body ?? null]))
    .digest()
}

/** Serializes JSON with the fields of each object in sorted order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/**
 * Returns the id of a key's scope: the merchant if the path names one, or else the merchant or account that
 * calls. Without authentication, the scope is derived from the resource in the path.
 */
export function scopeOf({ merchant, caller }: Admission, params: Readonly<Record<string, string>>): string {
  if (merchant !== undefined) return merchant.id
  if (caller?.type === 'key') return caller.merchantId
  if (caller?.type === 'account') return caller.accountId
  return openScopeOf(Object.values(params).find(isId)?.toLowerCase() ?? 'none')
}

/**
 * Returns a hash of the resource's id. The id itself is not used, because a caller that sends a merchant's id
 * to a route without authentication would then get access to that merchant's scope.
 */
function openScopeOf(resourceId: string): string {
  return createHash('sha256').update(`open ${resourceId}`).digest('hex').slice(0, 32)
}

/**
 * Returns true if a rejection is stored as the answer. Only a 409 or 422 is stored, and only if the same
 * request cannot succeed later. A 400 or 403 of the handler is not stored, because the client corrects its
 * request or rights and sends the key again. A 404 is not stored, because on a route without authentication
 * anybody could fill the table with such answers.
 */
export function isKept(problem: Problem): boolean {
  return [409, 422].includes(problem.status) && !problems[problem.code].retry
}
