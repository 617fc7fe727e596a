/** A route that will go tells so on every answer. */
import type { Route } from './route.ts'

/**
 * Deprecation (RFC 9745), Sunset (RFC 8594) and a link to the successor (RFC 5829); nothing for a route that stays.
 */
export function deprecationHeaders(
  { deprecated }: Route,
  publicUrl: string,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (deprecated === undefined) return {}
  const { since, sunset, successor } = deprecated
  const path = successor.replaceAll(/:(\w+)/g, (_segment, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return {
    // A date as structured fields write it (RFC 9651, section 3.3.7).
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    sunset: sunset.toUTCString(),
    link: `<${publicUrl}${path}>; rel="successor-version"`,
  }
}
