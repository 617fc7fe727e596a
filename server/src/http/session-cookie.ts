/** The cookie by which a browser is known that logged in to the dashboard. */

export const sessionCookie = 'coffer_session'

/** No script reads it (HttpOnly), and no page of another site has it sent along (SameSite=Strict). */
const attributes = 'Path=/; HttpOnly; SameSite=Strict'

export interface CookieOptions {
  /** Sent over TLS alone. */
  readonly isSecure: boolean
  /** For so long a browser keeps it; what it is worth is judged by its session alone. */
  readonly lifeMs: number
}

/** The value of `Set-Cookie` that hands a browser its session. */
export function sessionCookieOf(value: string, { isSecure, lifeMs }: CookieOptions): string {
  const secure = isSecure ? '; Secure' : ''
  return `${sessionCookie}=${value}; ${attributes}; Max-Age=${Math.floor(lifeMs / 1000)}${secure}`
}

/** The value of `Set-Cookie` that takes it away. */
export function endedCookie({ isSecure }: Pick<CookieOptions, 'isSecure'>): string {
  return sessionCookieOf('', { isSecure, lifeMs: 0 })
}

/**
 * The session's value in a Cookie header. Undefined where there are two: a neighbouring host can plant a second one
 * (RFC 6265, section 8.6), and which of them comes first says nothing.
 */
export function readSessionCookie(header: string | undefined): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const cut = pair.indexOf('=')
    return cut > 0 && pair.slice(0, cut).trim() === sessionCookie ? [pair.slice(cut + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}
