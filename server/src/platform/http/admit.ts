/** What is decided before anything of a request is read: who calls, whether too often, whether it may. */
import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import {
  type Authentication,
  type Authenticator,
  type Caller,
  type Merchant,
  readCredential,
  refusal,
} from './auth.ts'
import { forgeryRefusal, pageOf } from './forgery.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import { addressKey, callerKey, countRequest } from './limits/request-limit.ts'
import type { Route } from './route.ts'

/** What was found out about a request before its handler runs. */
export interface Admission {
  readonly caller: Caller | undefined
  readonly merchant: Merchant | undefined
  /** False for a session's cookie without a proof that its holder has just shown again who they are. */
  readonly isProven: boolean
}

export const anonymous: Admission = Object.freeze({ caller: undefined, merchant: undefined, isProven: true })

export interface AdmitParts {
  /** How browsers reach the server. */
  readonly publicUrl: string
  readonly authenticator: Authenticator
  /** How many requests each caller may make; absent: as many as it likes. */
  readonly requestLimiter?: RateLimiter | undefined
}

export interface Asking {
  readonly headers: IncomingHttpHeaders
  /** The path's merchant segment as it was sent. */
  readonly segment: string | undefined
  /** The client's IP address. */
  readonly address: string
  /** Takes headers of the answer, whatever it will be. */
  tell(headers: Readonly<Record<string, string>>): void
}

/** @throws Problem 429, then 401, 403, 404 in the contract's order */
export async function admit(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const admission =
    route.auth === 'open' ? await admitAnyone(parts, route, asking) : await admitCaller(parts, route, asking)
  route.permit?.(admission.caller)
  return admission
}

async function admitAnyone(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const { address, headers, tell } = asking
  if (route.isCounted) await countRequest(parts.requestLimiter, addressKey(address), tell)
  if (route.ownPagesOnly && pageOf(headers, parts.publicUrl) === 'foreign')
    throw fail('forbidden', 'A page of another site may not do this.')
  return anonymous
}

async function admitCaller(parts: AdmitParts, route: Route, asking: Asking): Promise<Admission> {
  const { segment, address, headers } = asking
  const merchantId = segment !== undefined && isId(segment) ? segment.toLowerCase() : undefined
  const credential = readCredential(headers, parts.publicUrl)
  const found = credential && (await parts.authenticator.authenticate(credential, merchantId, address))
  await countRequest(parts.requestLimiter, countedKey(found, address), asking.tell)
  const { csrfToken } = found ?? {}
  if (csrfToken !== undefined && route.method !== 'GET') {
    const forged = forgeryRefusal(headers, parts.publicUrl, csrfToken)
    if (forged !== undefined) throw forged
  }
  const merchant = segment === undefined ? 'absent' : merchantId === undefined ? 'malformed' : 'named'
  const auth = route.auth === 'bearer' ? 'bearer' : 'any'
  const refused = refusal({ auth, role: route.role, merchant }, found)
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
 * Refuses what moves money, or gives somebody the means to, where nothing but a session's cookie asks for it. This is done
 * before an Idempotency-Key is claimed, and the proof is a header: sent again with a proof it is the same request.
 * @throws Problem proof-required
 */
export function refuseUnproven(route: Route, { isProven }: Admission, body: unknown): void {
  if (isProven || !route.needsProof(body)) return
  throw fail(
    'proof-required',
    'Send the password to POST /dashboard/session/proof, or the "code" of the second factor where one is on; then this ' +
      'request again, with the "proof" of its answer as X-Session-Proof.',
  )
}

/** A stolen key that is used from an address its merchant shut out must not use up the merchant's own requests. */
function countedKey(found: Authentication | undefined, address: string): string {
  if (found === undefined) return addressKey(address)
  return found.caller.type === 'key' && found.access === 'forbidden'
    ? addressKey(address)
    : callerKey(found.caller)
}
