/** Announces the removal of a deprecated route in the headers of each answer of that route. */
import type { Route } from './route.ts'

/**
 * Returns the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link with the successor (RFC 5829).
 * Returns no headers for a route that is not deprecated.
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
    // The date format of structured fields (RFC 9651, section 3.3.7).
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    sunset: sunset.toUTCString(),
    link: `<${publicUrl}${path}>; rel="successor-version"`,
  }
}
