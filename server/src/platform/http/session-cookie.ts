/** The cookie by which a browser is known that logged in to the dashboard. */

/** No script reads it (HttpOnly), and no page of another site has it sent along (SameSite=Strict). */
const attributes = 'Path=/; HttpOnly; SameSite=Strict'

/**
 * Over TLS a browser takes a cookie of this prefix from this very host alone (RFC 6265bis, section 4.1.3.2): no
 * neighbouring host can plant a session of its own here. A sandbox is reached without TLS, where no browser would keep it.
 */
function nameOf(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-coffer_session' : 'coffer_session'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

/**
 * The value of `Set-Cookie` that hands a browser its session.
 * @param lifeMs for so long a browser keeps it; what it is worth is judged by its session alone
 */
export function sessionCookieOf(value: string, publicUrl: string, lifeMs: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  return `${nameOf(publicUrl)}=${value}; ${attributes}; Max-Age=${Math.floor(lifeMs / 1000)}${secure}`
}

/** The value of `Set-Cookie` that takes it away. */
export function endedCookie(publicUrl: string): string {
  return sessionCookieOf('', publicUrl, 0)
}

/**
 * The session's value in a Cookie header. Undefined where there are two: without TLS a neighbouring host can plant a
 * second one (RFC 6265, section 8.6), and which of them comes first says nothing.
 */
export function readSessionCookie(header: string | undefined, publicUrl: string): string | undefined {
  const name = nameOf(publicUrl)
  const values = (header ?? '').split(';').flatMap((pair) => {
    const cut = pair.indexOf('=')
    return cut > 0 && pair.slice(0, cut).trim() === name ? [pair.slice(cut + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}
