/**
 * Requests that another site's page makes a browser send. A cookie goes along by itself, so that who sends it proves
 * little: what changes anything must come from a page of ours, which alone can read the session's CSRF token.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Problem } from '../../core/errors.ts'

export type PageHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin'> & {
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined
  readonly 'x-csrf-token'?: string | readonly string[] | undefined
}

/**
 * What a browser says of the page that asks: `own`, `foreign`, or `unknown` where it says nothing, which no browser of
 * today does with what changes anything. Without TLS the page's host may also be the one it was asked for: a sandbox has
 * several.
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

/** The refusal of a request that changes something with a session's cookie; undefined when it may go on. */
export function forgeryRefusal(
  headers: PageHeaders,
  publicUrl: string,
  csrfToken: string,
): Problem | undefined {
  if (pageOf(headers, publicUrl) !== 'own')
    return fail('forbidden', "Only a page of this server may change anything with a session's cookie.")
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
