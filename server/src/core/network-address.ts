/**
 * Classifies IP addresses by their bytes, and compares them with ranges. The class of an address decides
 * whether we may connect to it on a merchant's behalf. A list of ranges decides from which addresses a
 * merchant's API keys may be used.
 */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/**
 * A `public` address is reachable from anywhere. Connections to `loopback` and `private` addresses (RFC 1918,
 * and unique local addresses of RFC 4193) are allowed in development only. Connections to `forbidden`
 * addresses (link-local, cloud metadata, multicast, reserved, tunnels) are never allowed.
 */
export type AddressClass = 'public' | 'loopback' | 'private' | 'forbidden'

/** Returns true if webhooks must not be sent to `ip`, or if `ip` is not an IP address. */
export function isForbiddenTarget(ip: string, options: { readonly allowPrivate: boolean }): boolean {
  switch (classifyAddress(ip)) {
    case 'public':
      return false
    case 'loopback':
    case 'private':
      return !options.allowPrivate
    case 'forbidden':
      return true
  }
}

/**
 * Classifies the text of an IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) has the
 * class of its IPv4 address. Text that is not an IP address is `forbidden`.
 */
export function classifyAddress(ip: string): AddressClass {
  const address = parseAddress(ip)
  if (address === undefined || within(address, forbiddenFirst)) return 'forbidden'
  if (within(address, loopbacks)) return 'loopback'
  if (within(address, privates)) return 'private'
  return within(address, forbidden) || !within(address, assigned) ? 'forbidden' : 'public'
}

/**
 * Returns an IP address in canonical form. An IPv4-mapped IPv6 address is returned as IPv4. Returns undefined
 * for text that is not an IP address.
 */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString()
}

/**
 * Parses one entry of an allow list, which is an address or a CIDR range. Returns the entry in canonical
 * form, or undefined for any other text. IPv4-mapped entries become IPv4, and bits beyond the prefix are
 * cleared.
 */
export function canonicalAddressRange(text: string): string | undefined {
  const range = parseRange(text)
  if (range === undefined) return undefined
  const [address, bits] = range
  const width = widthOf(address)
  return bits === width ? address.toString() : `${clearHostBits(address, bits).toString()}/${bits}`
}

/**
 * Returns the range that a provider typically assigns to one customer: an IPv4 /24 or an IPv6 /64 in
 * canonical form. Text that is not an address is returned unchanged.
 */
export function networkOf(ip: string): string {
  const address = parseAddress(ip.replace(/%.*$/, ''))
  if (address === undefined) return ip
  const bits = address.kind() === 'ipv4' ? 24 : 64
  return `${clearHostBits(address, bits).toString()}/${bits}`
}

/**
 * Decides whether `ip` is in any of the ranges. An IPv4 address and its mapped IPv6 form are the same
 * address.
 */
export function isWithinRanges(ip: string, ranges: readonly string[]): boolean {
  const address = parseAddress(ip)
  if (address === undefined) return false
  return ranges.some((text) => {
    const range = parseRange(text)
    return range !== undefined && within(address, [range])
  })
}

// Accepts only four decimal numbers without leading zeros, because some parsers read "010.0.0.1" as octal and
// others as decimal.
const ipv4Pattern = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/

function parseAddress(text: string): Address | undefined {
  if (text.includes(':')) return parseIpv6(text)
  return ipv4Pattern.test(text) && ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : undefined
}

function parseIpv6(text: string): Address | undefined {
  // An address with a zone, such as "%eth0", is rejected: the zone has a meaning only on the host that wrote
  // it.
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined
  const tail = text.slice(text.lastIndexOf(':') + 1)
  // The deprecated IPv4-compatible form (RFC 4291, 2.5.5.1) is rejected, because the library wrongly parses
  // it as the IPv4-mapped form.
  if (tail.includes('.') && (!ipv4Pattern.test(tail) || text === `::${tail}`)) return undefined
  return ipaddr.process(text)
}

function parseRange(text: string): Range | undefined {
  const [ip = '', prefix, ...rest] = text.split('/')
  const address = parseAddress(ip)
  if (address === undefined || rest.length > 0) return undefined
  if (prefix === undefined) return [address, widthOf(address)]
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  const isMapped = address.kind() === 'ipv4' && ip.includes(':')
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= widthOf(address) ? [address, bits] : undefined
}

function widthOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128
}

function clearHostBits(address: Address, bits: number): Address {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8))
    return byte & (0xff << (8 - kept)) & 0xff
  })
  return ipaddr.fromByteArray(bytes)
}

function within(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function ranges(...texts: readonly string[]): readonly Range[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new TypeError(`"${text}" is not an address range`)
    return range
  })
}

// Addresses of cloud metadata services: AWS and Google over IPv6, and Azure's wire server. They are inside
// ranges that count as private or public, so they are checked first.
const forbiddenFirst = ranges('fd00:ec2::/32', 'fd20:ce::254', '168.63.129.16')
const loopbacks = ranges('127.0.0.0/8', '::1')
const privates = ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7')

// The ranges of the IANA special-purpose registries (RFC 6890), without the loopback and private ranges.
const forbidden = ranges(
  '0.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // IPv6: 2001::/23 is for protocol assignments (with Teredo and ORCHID), 2002::/16 for 6to4, and
  // 2620:4f:8000::/48 for AS112. The other two ranges are for documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
)

// Addresses outside these ranges are forbidden. In IPv6, only 2000::/3 is global unicast. The following
// ranges are therefore forbidden: NAT64 64:ff9b::/96, discard 100::/64, 5f00::/16, fe80::/10, ff00::/8 and
// ::/96.
const assigned = ranges('0.0.0.0/0', '2000::/3')
