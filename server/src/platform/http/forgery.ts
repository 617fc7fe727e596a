/**
 * Detects requests that a page of another site makes a browser send (CSRF). Browsers send cookies
 * automatically, so a cookie alone does not show that our page made the request. A request that changes
 * something must come from a page of ours, and must contain the session's CSRF token, which only our pages
 * can read.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Problem } from '../../core/errors.ts'

export type PageHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin'> & {
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined
  readonly 'x-csrf-token'?: string | readonly string[] | undefined
}

/**
 * Returns whether the page that sent a request is ours: `own`, `foreign`, or `unknown` if the request has
 * neither Origin nor Sec-Fetch-Site. All current browsers send Origin with requests that change something.
 * Without TLS, a page also counts as `own` if its host is the requested host, because a sandbox is reached
 * under several hosts.
 */
export function pageOf(headers: PageHeaders, publicUrl: string): 'own' | 'foreign' | 'unknown' {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return 'foreign'
  if (origin === undefined) return site === undefined ? 'unknown' : 'own'
  const own = new URL(publicUrl)
  if (origin === own.origin) return 'own'
  if (own.protocol === 'https:') return 'foreign'
  return host !== undefined && /^http:\/\/(.*)$/i.exec(origin)?.[1] === host ? 'own' : 'foreign'
}

/**
 * Checks a request that changes something and is authenticated by a session cookie. Returns the problem with
 * which the request is rejected; undefined if the request may proceed.
 */
export function forgeryProblem(
  headers: PageHeaders,
  publicUrl: string,
  csrfToken: string,
): Problem | undefined {
  if (pageOf(headers, publicUrl) !== 'own')
    return fail('forbidden', 'A session cookie is accepted for changes from pages of this server only.')
  return isSame(headers['x-csrf-token'], csrfToken)
    ? undefined
    : fail('forbidden', 'Send the csrfToken of GET /dashboard/session as X-CSRF-Token.')
}

function isSame(sent: string | readonly string[] | undefined, expected: string): boolean {
  if (typeof sent !== 'string') return false
  const a = Buffer.from(sent)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
