/** Whose request it is when proxies stand between: X-Forwarded-For counts as far as trusted proxies wrote it. */
import { canonicalAddress, isWithinRanges } from '../../../core/network-address.ts'

/** How many proxies in a row are ours, or where ours are. */
export type TrustedProxies = { readonly hops: number } | { readonly ranges: readonly string[] }

/**
 * The address of the client: the first one, seen from us, that is no trusted proxy. Each proxy appends who it was
 * called by, so only what a trusted one appended is read; what stands further left is the client's own word.
 * @param peer the other end of the connection
 * @param forwardedFor the X-Forwarded-For of the request, all its lines joined by commas
 * @param trusted undefined when there is no proxy: the header is ignored
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies | undefined,
): string {
  let client = canonicalAddress(peer) ?? peer
  if (trusted === undefined || forwardedFor === undefined) return client
  const entries = forwardedFor.split(',').reverse()
  for (const [place, entry] of entries.entries()) {
    const isTrusted = 'hops' in trusted ? place < trusted.hops : isWithinRanges(client, trusted.ranges)
    if (!isTrusted) return client
    const before = canonicalAddress(withoutPort(entry.trim()))
    // A proxy that does not say who called it ("unknown") is the last we know of.
    if (before === undefined) return client
    client = before
  }
  return client
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711` (the forms of RFC 7239, section 6). */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.*)\]|([^:]*))(?::\d{1,5})?$/.exec(entry) ?? []
  return v6 ?? v4 ?? entry
}
