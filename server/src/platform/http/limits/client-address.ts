/**
 * Finds the client's address behind proxies. Only the entries of X-Forwarded-For that trusted proxies wrote
 * are trusted.
 */
import { canonicalAddress, isWithinRanges } from '../../../core/network-address.ts'

/** The number of our proxies between the client and this server, or the address ranges of our proxies. */
export type TrustedProxies = { readonly hops: number } | { readonly ranges: readonly string[] }

/**
 * Returns the IP address of the client. Each proxy appends the address of its caller to X-Forwarded-For.
 * Reading starts with the peer of the connection and continues with the header, from right to left. The first
 * address that is not a trusted proxy is the client. The client may have forged the entries left of that
 * address.
 * @param peer the other end of the connection
 * @param forwardedFor the X-Forwarded-For of the request, all its lines joined by commas
 * @param trusted undefined if there is no proxy; the header is then ignored
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies | undefined,
): string {
  let client = canonicalAddress(peer) ?? peer
  if (trusted === undefined || forwardedFor === undefined) return client
  const entries = forwardedFor.split(',').reverse()
  for (const [index, entry] of entries.entries()) {
    const isTrusted = 'hops' in trusted ? index < trusted.hops : isWithinRanges(client, trusted.ranges)
    if (!isTrusted) return client
    const before = canonicalAddress(withoutPort(entry.trim()))
    // If a proxy does not name its caller ("unknown"), the address of the proxy is returned.
    if (before === undefined) return client
    client = before
  }
  return client
}

/**
 * Removes the port that some proxies append: `192.0.2.1:4711`, `[2001:db8::1]:4711` (RFC 7239, section 6).
 */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.*)\]|([^:]*))(?::\d{1,5})?$/.exec(entry) ?? []
  return v6 ?? v4 ?? entry
}
