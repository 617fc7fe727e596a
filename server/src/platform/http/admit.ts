/**
 * Authenticates the caller of a request, applies the rate limit and checks access. All this happens before
 * the query and the body are read.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import {
  type Authentication,
  type Authenticator,
  accessProblem,
  type Caller,
  type Merchant,
  readCredential,
} from './auth.ts'
import { forgeryProblem, pageOf } from './forgery.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import { addressKey, callerKey, countRequest } from './limits/request-limit.ts'
import type { Route } from './route.ts'

/** The result of `admit`: what is known about the caller before the handler runs. */
export interface Admission {
  readonly caller: Caller | undefined
  readonly merchant: Merchant | undefined
  /**
   * False if only a session cookie authenticates the request, without a valid session proof. A session proof
   * shows that the user has just given the password or a two-factor code.
   */
  readonly isProven: boolean
}

export const anonymous: Admission = Object.freeze({ caller: undefined, merchant: undefined, isProven: true })

export interface AdmitParts {
  /** The URL at which browsers reach the server. */
  readonly publicUrl: string
  readonly authenticator: Authenticator
  /** Limits the requests of each caller. If absent, there is no limit. */
  readonly requestLimiter?: RateLimiter | undefined
}

export interface Asking {
  readonly headers: IncomingHttpHeaders
  /** The value of `:merchantID` in the path as sent; undefined if the path has none. */
  readonly segment: string | undefined
  /** The client's IP address. */
  readonly address: string
  /** Sets headers of the answer, even if the answer will be a rejection. */
  setHeaders(headers: Readonly<Record<string, string>>): void
}

/** @throws Problem 429, 401, 403 or 404, checked in this order, which the API's specification defines */
export async function admit(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const admission =
    route.auth === 'open' ? await admitAnyone(parts, route, asking) : await admitCaller(parts, route, asking)
  route.permit?.(admission.caller)
  return admission
}

async function admitAnyone(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const { address, headers, setHeaders } = asking
  if (route.isCounted) await countRequest(parts.requestLimiter, addressKey(address), setHeaders)
  if (route.ownPagesOnly && pageOf(headers, parts.publicUrl) === 'foreign')
    throw fail('forbidden', 'Pages of other sites may not send this request.')
  return anonymous
}

async function admitCaller(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const { segment, address, headers } = asking
  const merchantId = segment !== undefined && isId(segment) ? segment.toLowerCase() : undefined
  const credential = readCredential(headers, parts.publicUrl)
  const found = credential && (await parts.authenticator.authenticate(credential, merchantId, address))
  await countRequest(parts.requestLimiter, countedKey(found, address), asking.setHeaders)
  const { csrfToken } = found ?? {}
  if (csrfToken !== undefined && route.method !== 'GET') {
    const forged = forgeryProblem(headers, parts.publicUrl, csrfToken)
    if (forged !== undefined) throw forged
  }
  const merchant = segment === undefined ? 'absent' : merchantId === undefined ? 'malformed' : 'named'
  const auth = route.auth === 'bearer' ? 'bearer' : 'any'
  const refused = accessProblem({ auth, role: route.role, merchant }, found)
  if (refused !== undefined) throw refused
  return {
    caller: found?.caller,
    merchant: merchantId === undefined ? undefined : { id: merchantId, role: found?.role },
    isProven: isProven(found, headers['x-session-proof']),
  }
}

function isProven(found: Authentication | undefined, proof: string | readonly string[] | undefined): boolean {
  if (found?.isProof === undefined) return true
  return typeof proof === 'string' && found.isProof(proof)
}

/**
 * Rejects a request without a session proof if its route requires one. Such routes move money, or give
 * somebody the means to move money. Tokens and API keys need no session proof. The client can repeat a
 * rejected request with a session proof under the same Idempotency-Key: the check runs before the key is
 * claimed, and headers do not change the fingerprint of the request.
 * @throws Problem proof-required
 */
export function refuseUnproven(route: Route, { isProven }: Admission, body: unknown): void {
  if (isProven || !route.needsProof(body)) return
  throw fail(
    'proof-required',
    'Send the password, or a two-factor "code" if 2FA is enabled, to POST /dashboard/session/proof; then repeat this ' +
      'request with the "proof" from the response as X-Session-Proof.',
  )
}

/**
 * Returns the rate limiter's key for a request. A request that an API key authenticates may be refused access,
 * for example because of the merchant's IP list. Such a request counts towards the limit of the client's
 * address. A stolen key can therefore not use up the merchant's own limit.
 */
function countedKey(found: Authentication | undefined, address: string): string {
  if (found === undefined) return addressKey(address)
  return found.caller.type === 'key' && found.access === 'forbidden'
    ? addressKey(address)
    : callerKey(found.caller)
}
