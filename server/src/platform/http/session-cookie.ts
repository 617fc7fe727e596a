/** The cookie that identifies a browser that is logged in to the dashboard. */

/**
 * No script can read the cookie (HttpOnly), and no page of another site can make the browser send it
 * (SameSite=Strict).
 */
const attributes = 'Path=/; HttpOnly; SameSite=Strict'

/**
 * Returns the name of the cookie. Over TLS the name begins with `__Host-`, because a browser accepts such a
 * cookie from this exact host only (RFC 6265bis, section 4.1.3.2). Another subdomain can therefore not set a
 * cookie with a session of its choice. Without TLS, as in a sandbox, the prefix is left out, because browsers
 * would reject the cookie.
 */
function nameOf(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-coffer_session' : 'coffer_session'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

/**
 * Returns the `Set-Cookie` value that gives a browser its session.
 * @param lifetimeMs how long the browser keeps the cookie; the session itself may end earlier
 */
export function sessionCookieOf(value: string, publicUrl: string, lifetimeMs: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  return `${nameOf(publicUrl)}=${value}; ${attributes}; Max-Age=${Math.floor(lifetimeMs / 1000)}${secure}`
}

/** Returns the `Set-Cookie` value that removes the cookie. */
export function endedCookie(publicUrl: string): string {
  return sessionCookieOf('', publicUrl, 0)
}

/**
 * Returns the value of the session cookie in a Cookie header. Returns undefined if there are two such
 * cookies. Without TLS, another subdomain can set a second one (RFC 6265, section 8.6), and their order does
 * not show which of the two is ours.
 */
export function readSessionCookie(header: string | undefined, publicUrl: string): string | undefined {
  const name = nameOf(publicUrl)
  const values = (header ?? '').split(';').flatMap((pair) => {
    const cut = pair.indexOf('=')
    return cut > 0 && pair.slice(0, cut).trim() === name ? [pair.slice(cut + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}
