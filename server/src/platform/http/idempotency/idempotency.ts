/** What makes two requests the same under one Idempotency-Key, and which answers are kept for the second. */
import { createHash } from 'node:crypto'
import { failField, type Problem, problems } from '../../../core/errors.ts'
import { isId } from '../../../core/ids.ts'
import type { Admission } from '../admit.ts'

/** A request under a key. */
export interface KeyedRequest {
  /** Whose key it is, a UUID: no two scopes share a key. */
  readonly scopeId: string
  readonly key: string
  /** Method and declared path, for people who look into the table. */
  readonly route: string
  /** SHA-256 of all that the request asks for. */
  readonly fingerprint: Buffer
}

/** An answer as it goes over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The key of a request; undefined when it has none. Two header lines arrive joined by ", ", which no key contains.
 * @throws Problem invalid-request
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw failField('header/Idempotency-Key', 'must be one key of 1 to 255 visible ASCII characters')
}

export interface Asked {
  readonly method: string
  /** As declared. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** As sent, without "?". */
  readonly query: string
  /** Parsed JSON as sent, before defaults, so that the same bytes mean the same after an update of the service. */
  readonly body: unknown
}

/** Neither white space nor the order of fields makes a body another one. */
export function fingerprintOf({ method, path, params, query, body }: Asked): Buffer {
  const ids = Object.fromEntries(Object.entries(params).map(([name, text]) => [name, text.toLowerCase()]))
  return createHash('sha256')
    .update(canonicalJson([method, path, ids, query, body ?? null]))
    .digest()
}

/** JSON with the fields of each object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** The merchant's keys are its own whoever calls for it; then the account's; on an open route the resource's. */
export function scopeOf({ merchant, caller }: Admission, params: Readonly<Record<string, string>>): string {
  if (merchant !== undefined) return merchant.id
  if (caller?.type === 'key') return caller.merchantId
  if (caller?.type === 'account') return caller.accountId
  return openScopeOf(Object.values(params).find(isId)?.toLowerCase() ?? 'none')
}

/** Hashed, so that nobody gets into a merchant's scope by naming the merchant where an open route has its resource. */
function openScopeOf(resourceId: string): string {
  return createHash('sha256').update(`open ${resourceId}`).digest('hex').slice(0, 32)
}

/**
 * Whether a refusal is the answer for good. One that the same request may not meet later is not kept, and neither is
 * a 400 or 403 of the handler: the caller corrects what it sent, or its rights, and sends the key again. Nor is a 404:
 * on an open route that would let anybody who knows nothing fill the table.
 */
export function isKept(problem: Problem): boolean {
  return [409, 422].includes(problem.status) && !problems[problem.code].retry
}
